import { startOrigin } from './e2e/origin.ts'

/** What a request to the fake gate was. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly operator: string | undefined
}

export const TOKEN = "the tests' admin token"

const RATES = {
  ...{ offered: 940, admitted: 92.4, refused: 847.6, wouldRefuse: 0 },
  ...{ requests: 300, served: 299, failed: 1 },
}

export const POINT = {
  ...RATES,
  ...{ atMs: 1_800_000_000_000, seconds: 1, abandoned: 0, withinTarget: 290, inFlight: 41 },
  ...{ limit: 95, targetMs: 1000, p50Ms: 220, p95Ms: 640, p99Ms: 900 },
  classes: { members: { ...RATES, refused: 0 }, visitors: RATES },
}

export const STATUS = {
  name: 'shop',
  origin: 'https://origin.example.com',
  granularity: 'session',
  mode: 'enforce',
  configuredMode: 'enforce',
  summary: { level: 'surge', text: 'Surge: 10 times the capacity.' },
  now: POINT,
  learner: { name: 'soc-lqr', reason: 'steer' },
  overrides: [
    { id: 'a1', change: { action: 'limit', limit: 50 }, by: 'Jane', untilMs: 1_800_000_600_000 },
  ],
}

/** A minute of an origin that answers 100/s in time and drowns above. */
const pointAt = (i: number, load: number) => ({
  ...POINT,
  ...{ atMs: (i + 1) * 60_000, seconds: 60, offered: load, admitted: load, refused: 0 },
  ...{
    requests: 3 * load,
    served: Math.min(3 * load, 300),
    withinTarget: load > 100 ? 9 : 3 * load,
  },
  ...{ wouldRefuse: load > 100 ? load - 100 : 0, p95Ms: load > 100 ? 9000 : 400 },
})

const EXPLANATION = {
  ...{
    url: 'http://shop.example/cart',
    method: 'POST',
    paths: ['/cart'],
    route: 'shop',
    mode: 'enforce',
  },
  routesTried: [{ route: 'shop', match: '/*', isMatch: true }],
  bypassTried: [],
  classesTried: [
    {
      class: 'members',
      isMatch: true,
      conditions: [{ key: 'cookie.member', expected: ['*'], found: '1', isMatch: true }],
    },
  ],
  class: 'members',
  verdict: {
    verdict: 'draw',
    reason: 'share',
    chance: 0.4,
    isOnlyObserved: false,
    text: 'Four in ten.',
  },
}

const ENTRY = {
  ...{ id: 'e7', atMs: 1_800_000_000_000, route: 'shop', by: 'Jane', via: 'token', kind: 'mode' },
  ...{ text: 'Mode: enforce to off.', from: 'enforce', to: 'off', untilMs: null, isUndoable: true },
}

/** The admin API as its contract says, with fixed answers. */
export async function startFakeGate(answers: Readonly<Record<string, unknown>> = {}) {
  const asked: Asked[] = []
  const origin = await startOrigin(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { method = '', url = '', headers } = request
    const path = url.replace('/_tidegate/api/v1', '')
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    if (headers.authorization !== `Bearer ${TOKEN}`)
      return answer(401, { title: 'Unauthorized', status: 401 })
    const operator = headers['tidegate-operator'] as string | undefined
    asked.push({ method, path, body: text === '' ? null : JSON.parse(text), operator })
    const key = `${method} ${path.split('?')[0]}`
    if (Object.hasOwn(answers, key)) return answer(200, answers[key])
    if (key === 'GET /routes' && !path.includes('after='))
      return answer(200, { atMs: 0, routes: [STATUS], next: 'shop' })
    if (key === 'GET /routes')
      return answer(200, { atMs: 0, routes: [{ ...STATUS, name: 'api' }], next: null })
    if (key === 'GET /routes/shop/history') {
      const points = Array.from({ length: 30 }, (_, i) => pointAt(i, i >= 20 ? 300 : 90))
      return answer(200, { route: 'shop', range: 'day', stepMs: 60_000, points })
    }
    if (key === 'GET /audit') return answer(200, { entries: [ENTRY], next: null })
    if (method === 'POST' && path.endsWith('/actions')) return answer(201, ENTRY)
    if (method === 'DELETE') return answer(200, { ...ENTRY, text: 'Undone.' })
    if (key === 'POST /explain') return answer(200, EXPLANATION)
    answer(404, { title: 'Not found', status: 404, detail: 'There is no such thing.' })
  })
  return { url: origin.url, asked, close: () => origin.close() }
}
