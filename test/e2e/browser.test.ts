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

  it('has a bar that stands out, also in dark mode', async ({ expect }) => {
    const page = await refusedVisitor('/patient/shop')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { done, left, ground } = await barOf(page)
      expect(ground > 0.5, colorScheme).toBe(colorScheme === 'light')
      // WCAG 2.2, 1.4.11: at least 3 to 1.
      expect(ratio(done, ground), colorScheme).toBeGreaterThan(3)
      expect(ratio(done, left), colorScheme).toBeGreaterThan(3)
      expect(ratio(left, ground), colorScheme).toBeLessThan(3)
    }
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

const ratio = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)

/** What a visitor sees of the bar when it is half full: the luminance of both halves, and of the page. */
async function barOf(page: Page): Promise<{ done: number; left: number; ground: number }> {
  await page.evaluate(() => {
    // A copy, which the page's script does not move.
    const bar = document.querySelector('progress')!
    const copy = bar.cloneNode() as HTMLProgressElement
    copy.removeAttribute('id')
    copy.max = 2
    copy.value = 1
    document.body.replaceChildren(copy)
  })
  const { x, y, width, height } = (await page.locator('progress').boundingBox())!
  const picture = (await page.screenshot()).toString('base64')
  const middle = y + height / 2
  const places = [x + width / 4, middle, x + (3 * width) / 4, middle, x + width / 2, y + 5 * height]
  const [done, left, ground] = await page.evaluate(
    async ({ picture, places }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${picture}`
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.width
      canvas.height = image.height
      const drawing = canvas.getContext('2d')!
      drawing.drawImage(image, 0, 0)
      return [0, 1, 2].map((i) => {
        const { data } = drawing.getImageData(places[2 * i]!, places[2 * i + 1]!, 1, 1)
        const [r, g, b] = [...data.slice(0, 3)]
          .map((part) => part / 255)
          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
      })
    },
    { picture, places },
  )
  return { done: done!, left: left!, ground: ground! }
}

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
