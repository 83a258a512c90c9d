import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** A test without its program is skipped on a user's machine, but never in CI. */
export const BROWSER_IS_MISSING = !existsSync(PROGRAM) && !process.env.CI

if (BROWSER_IS_MISSING)
  console.warn(
    `Skipped: there is no Chromium at ${PROGRAM}. Get it with "apt-get install chromium", ` +
      'or say where yours is: CHROMIUM=/path/to/chromium.',
  )

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: PROGRAM,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
