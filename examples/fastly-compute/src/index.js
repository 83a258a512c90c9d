import { SecretStore } from 'fastly:secret-store'
import { Hono } from 'hono'
import { httpCoordinator, tidegate } from 'tidegate'

/** The gate on Fastly Compute. A Tidegate Worker on Cloudflare runs the coordinator. */
const COORDINATOR = 'https://gate.example.com'

let app = null

async function appOf() {
  const stored = await new SecretStore('tidegate').get('TIDEGATE_SECRET')
  const secret = stored.plaintext()
  const made = new Hono()
  made.use(
    tidegate(
      { routes: [{ name: 'site', match: '/*', sla: { targetMs: 500 } }] },
      {
        coordinator: httpCoordinator({ url: COORDINATOR, secret }),
        env: { TIDEGATE_SECRET: secret },
        clientIp: (request) => request.headers.get('Fastly-Client-IP'),
      },
    ),
  )
  made.all('*', (c) => fetch(c.req.raw, { backend: 'origin' }))
  return made
}

addEventListener('fetch', (event) => {
  const answer = async () => {
    app ??= await appOf()
    return app.fetch(event.request, {}, event)
  }
  event.respondWith(answer())
})
