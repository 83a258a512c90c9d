import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { BROWSER_IS_MISSING, launchBrowser } from '../support/e2e/browser.ts'
import { Load } from '../support/e2e/load.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const RETRY_S = 3

let origin: ScriptedOrigin
let gate: LocalGate
let browser: Browser
let crowd: Load

beforeAll(async () => {
  if (BROWSER_IS_MISSING) return
  origin = await ScriptedOrigin.start()
  origin.on('/shop', ({ response }) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><html lang="en"><title>The shop</title><h1>Come in</h1></html>')
  })
  const routes = [
    { match: '/patient/*', retryS: 60 },
    { match: '/*', retryS: RETRY_S },
  ].map(({ match, retryS }) => ({
    match,
    origin: origin.url,
    learner: { name: 'fixed', limit: 2 },
    whenFull: 'refuse',
    refusal: { retryMinS: retryS, retryMaxS: retryS },
  }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
  // 50 new sessions/s, of which 2/s are admitted, so that other visitors are refused.
  crowd = new Load(() => `${gate.url}/crowd`, { everyMs: 20 })
  browser = await launchBrowser()
})

afterAll(async () => {
  await crowd?.stop()
  await browser?.close()
  await gate?.close()
  await origin?.close()
})

/** Opens the page as new visitors, until one is refused. */
async function refusedVisitor(path: string): Promise<Page> {
  for (let i = 0; i < 50; i++) {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } })
    const page = await context.newPage()
    const response = await page.goto(`${gate.url}${path}`)
    if (response?.status() === 503) return page
    await context.close()
  }
  throw new Error('None of 50 visitors was refused')
}

describe.skipIf(BROWSER_IS_MISSING)('The refusal page in a browser', () => {
  it('is accessible: language, title, one heading in main, a timer, strong contrast', async ({
    expect,
  }) => {
    const page = await refusedVisitor('/patient/shop')
    expect(await page.title()).toBe('Just a moment')
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.locator('main h1').count()).toBe(1)
    expect(await page.getByRole('timer').textContent()).toMatch(/next try: \d+$/)
    expect(await page.getByRole('progressbar').getAttribute('aria-label')).toBeTruthy()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // WCAG 2.2, 1.4.6 (level AAA): at least 7 to 1.
      expect(await contrastOf(page, 'p'), colorScheme).toBeGreaterThan(7)
    }
    // Nothing is cut off on a small screen.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThan(361)
    await page.context().close()
  })

  it('counts down, retries by itself, and is admitted once there is capacity', async ({
    expect,
  }) => {
    const page = await refusedVisitor('/shop')
    await page.waitForFunction(
      (told) => Number(document.querySelector('#s')?.textContent) < told,
      RETRY_S,
    )
    await crowd.stop()
    await page.waitForFunction(() => document.title === 'The shop')
    expect(await page.locator('h1').textContent()).toBe('Come in')
    const names = (await page.context().cookies()).map(({ name }) => name)
    expect(names).toContain('tidegate-site')
  })
})

/** The contrast of text and its background, as WCAG defines it. */
async function contrastOf(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const luminance = (color: string): number => {
        const [r, g, b] = color
          .match(/[\d.]+/g)!
          .slice(0, 3)
          .map((part) => Number(part) / 255)
          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
      }
      // The page background has the color of the color scheme; a probe element shows it.
      const probe = document.body.appendChild(document.createElement('div'))
      probe.style.color = 'Canvas'
      const [text, ground] = [element, probe].map((one) => luminance(getComputedStyle(one).color))
      probe.remove()
      return (Math.max(text!, ground!) + 0.05) / (Math.min(text!, ground!) + 0.05)
    })
}
