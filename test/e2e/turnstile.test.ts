import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { BROWSER_IS_MISSING, launchBrowser } from '../support/e2e/browser.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

/** A widget that solves its challenge at once, as the real one usually does. It calls back as `data-callback` says. */
const WIDGET = `for (const at of document.querySelectorAll('.cf-turnstile')) {
  const solve = () => setTimeout(() => window[at.dataset.callback]('token ' + ++solve.count), 50)
  solve.count = 0
  window.turnstile = { reset: solve }
  at.textContent = at.dataset.sitekey
  solve()
}`

let origin: ScriptedOrigin
let turnstile: ScriptedOrigin
let gate: LocalGate
let browser: Browser
const verified: unknown[] = []

beforeAll(async () => {
  if (BROWSER_IS_MISSING) return
  origin = await ScriptedOrigin.start()
  turnstile = await ScriptedOrigin.start()
  turnstile.on('/api.js', ({ response }) => {
    response.setHeader('Content-Type', 'text/javascript')
    response.end(WIDGET)
  })
  turnstile.on('/siteverify', async ({ request, response }) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    verified.push(JSON.parse(body))
    // The first token is refused, as one that was used before.
    const codes = verified.length === 1 ? ['timeout-or-duplicate'] : []
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ success: verified.length > 1, 'error-codes': codes }))
  })
  const opens = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
  const waitingRoom = {
    events: [{ name: 'sale', opens: `${opens}Z`, preQueueMs: 7_200_000 }],
    turnstile: { siteKey: '1x00000000000000000000AA', url: turnstile.url },
  }
  const routes = [{ match: '/*', origin: origin.url, whenFull: 'queue', waitingRoom }]
  const secrets = {
    TIDEGATE_SECRET: 'a secret of the tests, long enough to be one',
    TIDEGATE_ADMIN_TOKEN: 'a token of the tests',
    TIDEGATE_TURNSTILE_SECRET: '1x0000000000000000000000000000000AA',
  }
  gate = await startLocalGate({ config: { routes }, port: 0, secrets })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await gate?.close()
  await origin?.close()
  await turnstile?.close()
})

describe.skipIf(BROWSER_IS_MISSING)('the waiting page with Turnstile, in a browser', () => {
  it('gets a place after a token was verified; after one that was used, the widget starts again', async ({
    expect,
  }) => {
    const page = await browser.newPage()
    await page.goto(`${gate.url}/shop`)
    await page.locator('#place', { hasText: /^\d+$/ }).waitFor({ timeout: 20_000 })
    expect(await page.locator('#challenge').count()).toBe(0)
    const secret = '1x0000000000000000000000000000000AA'
    expect(verified).toMatchObject([
      { secret, response: 'token 1' },
      { secret, response: 'token 2' },
    ])
    await page.close()
  }, 30_000)

  it('says without JavaScript what is needed, and gives no place', async ({ expect }) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${gate.url}/shop`)
    await page.reload()
    expect(await page.locator('#challenge').textContent()).toContain('This needs JavaScript.')
    expect(await page.locator('#place').textContent()).toBe('Your place is being assigned')
    await context.close()
  }, 30_000)
})
