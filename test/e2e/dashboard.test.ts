import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { BROWSER_IS_MISSING, launchBrowser } from '../support/e2e/browser.ts'
import { send } from '../support/e2e/client.ts'
import { Load } from '../support/e2e/load.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const TOKEN = 'the admin token of the dashboard'
const READ_TOKEN = 'a token that may only look'
const ROUTE = 'ticket-shop'
const secrets = {
  TIDEGATE_SECRET: 'the secret of the dashboard tests, long enough',
  TIDEGATE_ADMIN_TOKEN: TOKEN,
  TIDEGATE_ADMIN_READ_TOKEN: READ_TOKEN,
}
const AXE = createRequire(import.meta.url).resolve('axe-core')

let origin: ScriptedOrigin
let persist: string
let gate: LocalGate
let browser: Browser
let crowd: Load

const start = (): Promise<LocalGate> =>
  startLocalGate({
    config: {
      routes: [
        {
          ...{ name: ROUTE, match: '/*', origin: origin.url, granularity: 'request' },
          learner: { name: 'fixed', limit: 5 },
          fairness: false,
        },
      ],
    },
    port: 0,
    persist,
    secrets,
  })

beforeAll(async () => {
  if (BROWSER_IS_MISSING) return
  persist = await mkdtemp(join(tmpdir(), 'tidegate-dashboard-'))
  origin = await ScriptedOrigin.start()
  gate = await start()
  crowd = new Load(() => `${gate.url}/page`, { everyMs: 25 })
  browser = await launchBrowser()
})

afterAll(async () => {
  await crowd?.stop()
  await browser?.close()
  await gate?.close()
  await origin?.close()
  if (persist) await rm(persist, { recursive: true, force: true })
})

async function open(token: string | null, width = 1280): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 } })
  const page = await context.newPage()
  const fragment = token === null ? '' : `#token=${encodeURIComponent(token)}`
  await page.goto(`${gate.url}/_tidegate/${fragment}`)
  return page
}

/** What can be scrolled sideways. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.scroll, .routes')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ outerHTML }) => outerHTML.slice(0, 200)),
  )

const sentenceOf = (page: Page): Promise<string | null> => page.locator('.sentence').textContent()

describe.skipIf(BROWSER_IS_MISSING)('The dashboard in a browser', () => {
  it('shows a form and nothing else without a token', async ({ expect }) => {
    const page = await open(null)
    await page.getByLabel('Token').waitFor()
    expect(await page.content()).not.toContain(ROUTE)
    await page.getByLabel('Token').fill('a wrong token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This token is not valid.').waitFor()
    expect(await page.content()).not.toContain(ROUTE)
    await page.getByLabel('Token').fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.sentence').waitFor()
    await page.context().close()
  })

  it('signs in by a link, and takes the token out of the address', async ({ expect }) => {
    const page = await open(TOKEN)
    await page.locator('.sentence').waitFor()
    expect(page.url()).not.toContain('token')
    await page.reload()
    await page.locator('.sentence').waitFor()
    await page.context().close()
  })

  it('says in a sentence that there is a surge, over a WebSocket, and moves its charts', async ({
    expect,
  }) => {
    const page = await open(TOKEN)
    await expect.poll(() => sentenceOf(page)).toMatch(/^Surge: /)
    await expect.poll(() => page.locator('body').getAttribute('data-connection')).toBe('live')
    const label = () => page.locator('.plot').first().getAttribute('aria-label')
    await expect.poll(label).toMatch(/Now [\d.,]+ offered/)
    const before = await label()
    await expect.poll(label).not.toBe(before)
    const curve = page.locator('.plot[aria-label^="What was learned"]')
    await expect.poll(() => curve.getAttribute('aria-label')).toMatch(/[1-9]\d* points/)
    expect(await page.locator('.plot canvas').count()).toBe(5)
    await page.context().close()
  })

  it('keeps the focus of the keyboard while figures change', async ({ expect }) => {
    const page = await open(TOKEN)
    const reason = page.locator('a[href$="reasons#share"]').first()
    await reason.focus()
    const figures = () => page.locator('.tables').first().textContent()
    const before = await figures()
    await expect.poll(figures).not.toBe(before)
    expect(await reason.evaluate((link) => link === document.activeElement)).toBe(true)
    await page.context().close()
  })

  it('switches to observe: nobody is refused 2 s later, and the audit log says who did it', async ({
    expect,
  }) => {
    const page = await open(TOKEN)
    await page.getByRole('button', { name: 'Mode' }).click()
    await page.getByRole('dialog').getByLabel('Mode').selectOption('observe')
    await page.getByLabel('Why').fill('a look at what would happen')
    await page.getByText(`Route ${ROUTE} goes to observe.`).waitFor()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The action is in force for every draw that starts 2 s later.
    await page.waitForTimeout(2000)
    for (let i = 0; i < 20; i++)
      expect((await send(`${gate.url}/page`)).status, `request ${i}`).toBe(200)
    await page.getByText('a look at what would happen').waitFor()
    await page.getByText(/Override: mode observe/).waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByText(/Override: mode observe/).waitFor({ state: 'detached' })
    await expect.poll(async () => (await send(`${gate.url}/page`)).status).toBe(503)
    await page.context().close()
  })

  it('offers no actions to a read-only token', async ({ expect }) => {
    const page = await open(READ_TOKEN)
    await page.getByText('You have a read-only token').waitFor()
    expect(await page.getByRole('button', { name: 'Mode' }).count()).toBe(0)
    await page.context().close()
  })

  for (const [size, width] of [
    ['phone', 390],
    ['desk', 1280],
  ] as const)
    it(`has no accessibility faults and no horizontal scrolling on a ${size}`, async ({
      expect,
    }) => {
      const page = await open(TOKEN, width)
      await page.getByText('Recent verdicts').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await tooWide(page), colorScheme).toEqual([])
        // The page's own policy forbids foreign scripts, so axe runs in the isolated world of the test.
        const found =
          await page.evaluate(`(async () => { const module = { exports: {} }; ${await readFile(AXE, 'utf8')};
          const { violations } = await axe.run(document); return violations.map(({ id, nodes }) => id + ': ' + nodes[0].html) })()`)
        expect(found, colorScheme).toEqual([])
      }
      await page.context().close()
    })

  it('remembers after a restart what happened before', async ({ expect }) => {
    await crowd.stop()
    const seen = await open(TOKEN)
    const showHour = (page: Page) => page.getByRole('button', { name: 'Hour' }).click()
    await Promise.all([seen.waitForResponse(/range=hour/), showHour(seen)])
    await seen.context().close()
    await gate.close()
    gate = await start()
    const page = await open(TOKEN)
    await page.getByText('a look at what would happen').waitFor()
    expect(await page.getByText(/^A surge began/).count()).toBeGreaterThan(0)
    // Of the last minute nothing is known any more.
    const label = () => page.locator('.plot').first().getAttribute('aria-label')
    await expect.poll(label).toMatch(/Now – offered/)
    await showHour(page)
    await expect.poll(label).toMatch(/Now [1-9][\d.,]* offered/)
    await page.context().close()
  })

  it('finds one of 100 routes of 100 origins, and never scrolls sideways', async ({ expect }) => {
    const { port } = new URL(origin.url)
    const routes = Array.from({ length: 100 }, (_, i) => ({
      name: `route-${i}`,
      match: `/${i}/*`,
      origin: `http://127.0.0.${i + 1}:${port}`,
      ...(i === 73
        ? { waitingRoom: { events: [{ name: 'summer-sale', opens: '2086-07-01T10:00Z' }] } }
        : {}),
    }))
    await gate.close()
    gate = await startLocalGate({ config: { routes }, port: 0, secrets })
    await send(`${gate.url}/0/page`)
    for (const width of [1280, 390]) {
      const page = await open(TOKEN, width)
      const links = page.getByRole('navigation').getByRole('link')
      await expect.poll(() => links.count()).toBe(100)
      expect(await tooWide(page)).toEqual([])
      await page.getByLabel('Find a route').fill('ROUTE-73')
      await page.getByRole('link', { name: 'route-73' }).click()
      await page.getByRole('heading', { name: 'route-73' }).waitFor()
      await page.getByText('summer-sale').waitFor()
      await page.getByText(/^planned, waiting page in \d+ days$/).waitFor()
      expect(await tooWide(page)).toEqual([])
      expect(await links.count()).toBe(1)
      await page.getByLabel('Find a route').fill('elsewhere')
      await page.getByText('No route has this name.').waitFor()
      await page.context().close()
    }
  })
})
