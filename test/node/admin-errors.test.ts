import { describe, it } from 'vitest'
import document from '../../src/admin/api/openapi.json' with { type: 'json' }
import { adminApp } from '../../src/admin/app.ts'
import { InProcessCoordinator } from '../../src/transport/in-process.ts'
import { routesOf, SECRET } from '../support/requests.ts'

const TOKEN = 'the token of the operators'
const V1 = '/_tidegate/api/v1'

/** The admin app of a server with the coordinator in process: no Durable Objects are bound. */
function appInProcess() {
  const coordinator = new InProcessCoordinator()
  const app = adminApp({
    config: { routes: routesOf({}), clientIp: 'cloudflare' },
    secrets: {
      ...{ current: SECRET, previous: null, adminToken: TOKEN },
      ...{ adminReadToken: null, access: null },
    },
    portOf: () => coordinator,
  })
  return async (method: string, path: string, body?: object) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const request = new Request(`https://gate.example.com${V1}${path}`, {
      ...{ method, headers, ...init },
    })
    const response = await app.fetch(request, {} as never)
    expectProblem(response)
    return { status: response.status, detail: ((await response.json()) as Problem).detail }
  }
}

interface Problem {
  readonly detail: string
}

function expectProblem({ headers }: Response): void {
  const type = headers.get('Content-Type')
  if (type !== 'application/problem+json') throw new Error(`This is no problem document: ${type}`)
}

const URL_OF_SERVER = 'https://a.example.com'

describe('an error of the admin API', () => {
  it.for([
    '/routes?page=2',
    '/routes/shop/status?verbose=1',
    '/routes/shop/history?from=1',
    '/events?since=1',
    '/audit?since=1',
    '/verdicts?since=1',
  ])('is one of the client for a parameter that is unknown: %s', async (path, { expect }) => {
    const name = /\?(\w+)/.exec(path)![1]
    const { status, detail } = await appInProcess()('GET', path)
    expect(status).toBe(400)
    expect(detail).toContain(`${name}: expected never`)
  })

  it.for([
    ['get', '/routes/{route}/capacity', undefined],
    ['post', '/routes/{route}/capacity/tiers/{tier}', { servers: 2 }],
    ['post', '/routes/{route}/capacity/history', { hours: [] }],
    ['get', '/routes/{route}/servers', undefined],
    ['post', '/routes/{route}/servers', { servers: null }],
    ['post', '/routes/{route}/servers/drain', { url: URL_OF_SERVER }],
    ['post', '/routes/{route}/stock', { left: 0 }],
  ] as const)(
    'says that a coordinator in process cannot do it, as the document says: %s %s',
    async ([method, template, body], { expect }) => {
      const path = template.replace('{route}', 'shop').replace('{tier}', 'web')
      const { status, detail } = await appInProcess()(method.toUpperCase(), path, body)
      expect(status).toBe(501)
      expect(detail).toContain('in process')
      const paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>> =
        document.paths
      expect(paths[V1 + template]![method]!.responses).toHaveProperty('501')
    },
  )
})
