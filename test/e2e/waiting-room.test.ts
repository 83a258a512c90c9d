import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type * as Client from '../../src/client/client.ts'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { BROWSER_IS_MISSING, launchBrowser } from '../support/e2e/browser.ts'
import { send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import { WaitingCrowd } from '../support/e2e/waiting-crowd.ts'

const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)

let origin: ScriptedOrigin
/** Another site, with a script that calls the API behind the gate. */
let site: ScriptedOrigin
let gate: LocalGate
let browser: Browser
let crowd: WaitingCrowd

beforeAll(async () => {
  if (BROWSER_IS_MISSING) return
  origin = await ScriptedOrigin.start()
  site = await ScriptedOrigin.start()
  site.on('/page', ({ response }) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Another site</title>')
  })
  origin.on('/shop', ({ response }) => {
    response.setHeader('Content-Type', 'text/html')
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.end('<!doctype html><html lang="en"><title>The shop</title><h1>Come in</h1></html>')
  })
  const learner = { name: 'fixed', limit: 3 }
  const route = { match: '/*', origin: origin.url, learner, whenFull: 'queue', verdictHeader: true }
  const routes = [{ ...route, refusal: { allowOrigins: [site.url] } }]
  gate = await startLocalGate({ config: { routes }, port: 0 })
  browser = await launchBrowser()
  crowd = new WaitingCrowd(`${gate.url}/shop`)
  await untilQueued()
})

afterAll(async () => {
  await crowd?.stop()
  await browser?.close()
  await gate?.close()
  await origin?.close()
  await site?.close()
})

/** Until the first plan is in force, everybody enters. Later, nobody does who comes without a ticket while others wait. */
async function untilQueued(): Promise<void> {
  let isQueued = false
  crowd.join(20)
  while (crowd.waiting < 40 || !isQueued) {
    if (crowd.waiting < 40) crowd.join(4)
    const { headers } = await send(`${gate.url}/shop`)
    isQueued = String(headers['tidegate-verdict']).startsWith('queue; reason=waiting')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The tests that still watch the queue. When none does, an operator lets everybody in, so that nobody waits for the crowd. */
const watching = new Set(['script', 'no script', 'closed tab', 'client'])

async function hasSeenEnough(test: string): Promise<void> {
  watching.delete(test)
  if (watching.size > 0) return
  const { status } = await send(`${gate.url}/_tidegate/api/v1/routes/site/actions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gate.adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ action: 'limit', limit: 1000 }),
  })
  if (status !== 201) throw new Error(`The limit could not be raised: ${status}`)
}

const placeOn = async (page: Page): Promise<number> =>
  Number((await page.locator('#place').textContent())?.replace(/\D/g, '') ?? 0)

/** Waits until the page shows a place below this one. The first page shows none. */
const showsPlaceBelow = (page: Page, place: number): Promise<unknown> =>
  page.waitForFunction(
    (below) => {
      const shown = Number(document.querySelector('#place')?.textContent?.replace(/\D/g, ''))
      return shown > 0 && shown < below
    },
    place,
    { timeout: 30_000 },
  )

const isIn = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.title === 'The shop', null, { timeout: 30_000 })

async function visitor(
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const response = await page.goto(`${gate.url}/shop`)
  if (response?.status() !== 503) throw new Error('The visitor did not have to wait')
  return { context, page }
}

/** For docs/waiting-room.md: `SCREENSHOTS=1 npx vitest run test/e2e/waiting-room.test.ts`. */
async function screenshots(page: Page): Promise<void> {
  await showsPlaceBelow(page, Number.POSITIVE_INFINITY)
  const sizes = { phone: { width: 360, height: 640 }, desk: { width: 1000, height: 620 } }
  for (const [name, size] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `docs/images/waiting-${name}-${colorScheme}.png` })
    }
}

describe.skipIf(BROWSER_IS_MISSING).concurrent('A visitor who waits, in a browser', () => {
  it('has a page that is accessible, in light and dark, on a phone', async ({ expect }) => {
    const { context, page } = await visitor({ viewport: { width: 360, height: 640 } })
    await page.addScriptTag({ content: readFileSync(AXE, 'utf8') })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string }[] }> }
        }
        return (await axe.run()).violations.map(({ id }) => id)
      })
      expect(violations, colorScheme).toEqual([])
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThan(361)
    if (process.env.SCREENSHOTS) await screenshots(page)
    await context.close()
  })

  it('sees the place fall, and gets in', async ({ expect }) => {
    const { page } = await visitor()
    await showsPlaceBelow(page, Number.POSITIVE_INFINITY)
    const first = await placeOn(page)
    await showsPlaceBelow(page, first)
    await hasSeenEnough('script')
    await isIn(page)
    expect(await page.locator('h1').textContent()).toBe('Come in')
  }, 60_000)

  it('gets in without JavaScript, with a session instead of the ticket', async ({ expect }) => {
    const { context, page } = await visitor({ javaScriptEnabled: false })
    const place = page.locator('#place', { hasText: /^\d+$/ })
    await place.waitFor({ timeout: 30_000 })
    await hasSeenEnough('no script')
    await page.getByText('Come in').waitFor({ timeout: 30_000 })
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toContain('tidegate-site')
    expect(names).not.toContain('tidegate-site-ticket')
  }, 60_000)

  it('keeps the place when the tab is closed and opened again, in the own language', async ({
    expect,
  }) => {
    const { context, page } = await visitor({ locale: 'de-DE' })
    expect(await page.title()).toBe('Sie sind in der Warteschlange')
    await showsPlaceBelow(page, Number.POSITIVE_INFINITY)
    const before = await placeOn(page)
    await page.close()
    const again = await context.newPage()
    await again.goto(`${gate.url}/shop`)
    expect(await placeOn(again)).toBeGreaterThan(0)
    expect(await placeOn(again)).toBeLessThanOrEqual(before)
    await hasSeenEnough('closed tab')
    await isIn(again)
  }, 60_000)

  it('enters with the fetch of `tidegate/client` from another site, without cookies', async ({
    expect,
  }) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${site.url}/page`)
    const script = await clientScript()
    expect(script.length).toBeLessThan(2048)
    await page.addScriptTag({ content: script })
    await page.exposeFunction('hasWaited', () => hasSeenEnough('client'))
    const seen = await page.evaluate(async (url) => {
      const { tidegate, hasWaited } = window as unknown as {
        tidegate: typeof Client
        hasWaited: () => void
      }
      const positions: (number | null)[] = []
      const first = await tidegate.waitingFetch(url, {
        onWait: ({ position }) => {
          if (positions.push(position) === 2) hasWaited()
        },
      })
      const second = await tidegate.waitingFetch(url, { onWait: () => positions.push(-1) })
      return { statuses: [first.status, second.status], positions, text: await second.text() }
    }, `${gate.url}/shop`)
    expect(seen.statuses).toEqual([200, 200])
    expect(seen.text).toContain('Come in')
    // At first it had no place, and then it had one. With the session it did not wait again.
    expect(seen.positions[0]).toBe(null)
    expect(seen.positions[1]).toBeGreaterThan(0)
    expect(seen.positions).not.toContain(-1)
    expect(await context.cookies()).toEqual([])
    await context.close()
  }, 60_000)
})

/** The client as a page would load it. */
async function clientScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/client/client.ts', import.meta.url))],
    ...{ bundle: true, minify: true, write: false, format: 'iife', globalName: 'tidegate' },
  })
  return outputFiles[0]!.text
}
