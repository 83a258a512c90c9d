import { describe, it } from 'vitest'
import { readOptions } from '../../tools/flood/options.ts'
import { demoPortTaken, gatePortTaken, greeting } from '../../tools/start-texts.ts'
import { resolved } from '../support/config.ts'

const DEMO = { url: 'http://127.0.0.1:8788', capacityPerSecond: 100 }
const CONFIG = resolved({
  routes: [
    { match: 'shop.example.com/*', name: 'shop', origin: 'http://127.0.0.1:8788' },
    {
      match: '/*',
      name: 'site',
      origin: { servers: [{ url: 'http://10.0.0.1' }, { url: 'http://10.0.0.2' }] },
    },
  ],
})
const REACHED = new Map([
  ['http://127.0.0.1:8788', { ok: true, status: 200, ms: 3.2 }],
  ['http://10.0.0.1', { ok: false, cause: 'connect ECONNREFUSED 10.0.0.1:80' }],
] as const)

const greet = (url: string, demo: typeof DEMO | null, hasFlood = true) =>
  greeting({
    gate: { url, adminToken: 'secret' },
    demo,
    config: CONFIG,
    reached: REACHED,
    hasFlood,
  })

/** The options of the flood that the greeting suggests. */
function proposed(text: string) {
  const words = text.match(/npm run flood -- (.*?) {4}/)![1]!.split(' ')
  return readOptions(words)
}

describe('the greeting of npm start', () => {
  it.for(['http://127.0.0.1:8787', 'http://127.0.0.1:8790'])(
    'suggests a flood of the started gate: %s',
    (url, { expect }) => {
      expect(proposed(greet(url, DEMO))).toMatchObject({
        kind: 'run',
        options: { target: url, origin: DEMO.url, compare: true },
      })
      expect(proposed(greet(url, null))).toMatchObject({
        kind: 'run',
        options: { target: url, rate: 100, compare: false, paths: ['/'] },
      })
    },
  )

  it("names no target if the flood's default fits", ({ expect }) => {
    expect(greet('http://127.0.0.1:8787', DEMO)).toContain('npm run flood -- --compare  ')
  })

  it('begins with a link to the dashboard that signs in', ({ expect }) => {
    const [first] = greet('http://127.0.0.1:8787', DEMO).trim().split('\n')
    expect(first).toContain('http://127.0.0.1:8787/_tidegate/#token=secret')
  })

  it('lists the routes, their origins, and which of them cannot be reached', ({ expect }) => {
    const lines = greet('http://127.0.0.1:8787', null).split('\n')
    const routes = lines.filter((line) => line.startsWith('  Route'))
    expect(routes.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
      'Route shop shop.example.com/* → http://127.0.0.1:8788 answers 200 in 3 ms',
      'Route site /* → http://10.0.0.1 CANNOT BE REACHED: connect ECONNREFUSED 10.0.0.1:80',
      'Route → http://10.0.0.2',
    ])
  })

  it('proposes only commands that are there', ({ expect }) => {
    expect(greet('http://127.0.0.1:8787', null, false)).not.toContain('npm run')
  })
})

describe('a port in use', () => {
  it('of the gate: --port moves it', ({ expect }) => {
    expect(gatePortTaken(8790)).toBe(
      'Port 8790 is in use. Stop the program that listens there, or choose another port with --port.',
    )
  })

  it('of the demo origin: --port does not move it and is not suggested', ({ expect }) => {
    expect(demoPortTaken()).toContain(
      'Port 8788 is in use, but the configuration expects the demo origin there',
    )
    expect(demoPortTaken()).toContain('--origin URL')
    expect(demoPortTaken()).not.toContain('--port')
  })
})
