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
  const learner = { name: 'fixed', limit: 4 }
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
  while (crowd.waiting < 40 || !isQueued) {
    if (crowd.waiting < 40) crowd.join(10)
    const { headers } = await send(`${gate.url}/shop`)
    isQueued = String(headers['tidegate-verdict']).startsWith('queue; reason=waiting')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const placeOn = async (page: Page): Promise<number> =>
  Number((await page.locator('#place').textContent())?.replace(/\D/g, '') ?? 0)

const waitsFor = (page: Page, place: (shown: number) => boolean): Promise<unknown> =>
  page.waitForFunction(
    (test) => {
      const shown = Number(document.querySelector('#place')?.textContent?.replace(/\D/g, ''))
      return new Function('shown', `return (${test})(shown)`)(shown)
    },
    place.toString(),
    { timeout: 20_000 },
  )

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
  await waitsFor(page, (shown) => shown > 1)
  const sizes = { phone: { width: 360, height: 640 }, desk: { width: 1000, height: 620 } }
  for (const [name, size] of Object.entries(sizes))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `docs/images/waiting-${name}-${colorScheme}.png` })
    }
}

describe.skipIf(BROWSER_IS_MISSING)('A visitor who waits, in a browser', () => {
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

  it('sees the place fall, and gets in; without JavaScript, too; and after the tab was closed', async ({
    expect,
  }) => {
    await untilQueued()
    crowd.join(20)
    const [scripted, plain, closed] = await Promise.all([
      visitor(),
      visitor({ javaScriptEnabled: false }),
      visitor({ locale: 'de-DE' }),
    ])
    await waitsFor(scripted.page, (shown) => shown > 1)
    const first = await placeOn(scripted.page)
    await waitsFor(closed.page, (shown) => shown > 1)
    expect(await closed.page.title()).toBe('Sie sind in der Warteschlange')
    const before = await placeOn(closed.page)
    await closed.page.close()
    await scripted.page.waitForFunction(
      (before) => Number(document.querySelector('#place')?.textContent) < before,
      first,
      { timeout: 20_000 },
    )
    const again = await closed.context.newPage()
    await again.goto(`${gate.url}/shop`)
    if ((await again.title()) !== 'The shop')
      expect(await placeOn(again)).toBeLessThanOrEqual(before)
    await Promise.all(
      [scripted.page, again].map((page) =>
        page.waitForFunction(() => document.title === 'The shop', null, { timeout: 40_000 }),
      ),
    )
    await plain.page.waitForURL(/shop/)
    await plain.page.getByText('Come in').waitFor({ timeout: 40_000 })
    const names = (await plain.context.cookies()).map(({ name }) => name)
    expect(names).toContain('tidegate-site')
    expect(names).not.toContain('tidegate-site-ticket')
  }, 60_000)

  it('enters with the fetch of `tidegate/client` from another site, without cookies', async ({
    expect,
  }) => {
    await untilQueued()
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${site.url}/page`)
    const script = await clientScript()
    expect(script.length).toBeLessThan(2048)
    await page.addScriptTag({ content: script })
    const seen = await page.evaluate(async (url) => {
      const { waitingFetch } = (window as unknown as { tidegate: typeof Client }).tidegate
      const positions: (number | null)[] = []
      const first = await waitingFetch(url, { onWait: ({ position }) => positions.push(position) })
      const second = await waitingFetch(url, { onWait: () => positions.push(-1) })
      return { statuses: [first.status, second.status], positions, text: await second.text() }
    }, `${gate.url}/shop`)
    expect(seen.statuses).toEqual([200, 200])
    expect(seen.text).toContain('Come in')
    // It waited at first. With the session it did not wait again.
    expect(seen.positions.length).toBeGreaterThan(0)
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
