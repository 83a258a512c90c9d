// One suite for every runtime: Node, Deno and Bun. It prints a line per check, and exits with 1 if one fails.
// Usage: RUNTIME suite.js COORDINATOR_URL SECRET
import { Hono } from 'hono'
import { httpCoordinator, InProcessCoordinator, mintPass, tidegate } from 'tidegate'

const [url, secret] = (globalThis.Deno?.args ?? process.argv.slice(2)).slice(-2)
const env = { TIDEGATE_SECRET: secret }
const LIMIT = { name: 'fixed', limit: 0.001 }
let failed = 0

function check(text, isTrue, found = '') {
  if (!isTrue) failed++
  console.log(`${isTrue ? 'ok' : 'FAILED'}: ${text}${isTrue ? '' : ` (found ${found})`}`)
}

function appWith(route, coordinator) {
  const app = new Hono()
  app.use(tidegate({ routes: [{ name: 'site', match: '/*', ...route }] }, { coordinator, env }))
  app.get('/page', (c) => c.text(`page for ${c.var.verdict.reason}`))
  app.post('/echo', async (c) => c.text(await c.req.text()))
  app.get('/broken', () => {
    throw new Error('the handler fails')
  })
  app.onError((_error, c) => c.text('error', 500))
  return app
}

const ask = (app, path, init) => app.request(`https://site.example${path}`, init)

/** Sends visitors until one of them does not get in. */
async function untilFull(app, headers = {}) {
  for (let i = 0; i < 400; i++) {
    const response = await ask(app, '/page', { headers })
    if (response.status === 503) return response
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return null
}

const calm = appWith({}, new InProcessCoordinator())
const first = await ask(calm, '/page')
const cookie = first.headers.get('Set-Cookie') ?? ''
check(
  'admits a visitor, with a session cookie',
  first.status === 200 && cookie.startsWith('__Host-tidegate-site='),
  cookie,
)
const again = await ask(calm, '/page', { headers: { Cookie: cookie.split(';')[0] } })
check('knows the session again', (await again.text()) === 'page for session')
const posted = await ask(calm, '/echo', { method: 'POST', body: 'bought' })
check('passes a body to the handler', (await posted.text()) === 'bought')
check('passes on that a handler failed', (await ask(calm, '/broken')).status === 500)

for (const [name, coordinator] of [
  ['in process', new InProcessCoordinator()],
  ['over HTTP', httpCoordinator({ url, secret })],
]) {
  const full = appWith(
    {
      learner: LIMIT,
      granularity: 'request',
      fairness: false,
      verdictHeader: true,
      origin: undefined,
    },
    coordinator,
  )
  const refused = await untilFull(full)
  check(`refuses what does not fit (coordinator ${name})`, refused !== null)
  check(`says when to come back (${name})`, Number(refused?.headers.get('Retry-After')) > 0)
  check(
    `explains itself to programs (${name})`,
    refused?.headers.get('Content-Type') === 'application/problem+json',
  )
  check(`may not be stored (${name})`, refused?.headers.get('Cache-Control') === 'no-store')
}

const queued = appWith(
  { learner: LIMIT, fairness: false, whenFull: 'queue' },
  new InProcessCoordinator(),
)
const waiting = await untilFull(queued, { Accept: 'text/html' })
check(
  'shows the waiting page to browsers',
  (await waiting?.text())?.includes('<!doctype html>') === true,
)
const pass = mintPass({ secret, route: 'site', expires: new Date(Date.now() + 60_000) })
check('makes signed passes', typeof pass === 'string' && pass.length > 20, String(pass))

console.log(failed === 0 ? 'all checks passed' : `${failed} checks failed`)
;(globalThis.process ?? globalThis.Deno).exit(failed === 0 ? 0 : 1)
