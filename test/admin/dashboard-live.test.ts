import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { follow } from '../../dashboard/live.ts'

/** A WebSocket that does what the test says. */
class FakeSocket {
  static readonly OPEN = 1
  static readonly all: FakeSocket[] = []
  readonly url: string
  readonly sent: string[] = []
  readyState = 0
  onmessage: ((message: { data: unknown }) => void) | null = null
  onclose: (() => void) | null = null

  constructor(url: URL) {
    this.url = String(url)
    FakeSocket.all.push(this)
  }

  opens(): void {
    this.readyState = FakeSocket.OPEN
  }

  says(message: unknown): void {
    this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) })
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.readyState = 3
    this.onclose?.()
  }
}

let answer: () => Response
let asked: string[]
let stop: () => void = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  FakeSocket.all.splice(0)
  asked = []
  answer = () => Response.json({ name: 'shop', number: asked.length })
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('location', { href: 'https://shop.example.com/_tidegate/' })
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path)
    return answer()
  })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

/** Follows the route `shop`, and keeps what the page is told. */
function start() {
  const told = { statuses: 0, states: [] as string[], events: 0, signedOut: 0 }
  stop = follow('shop', {
    status: () => void told.statuses++,
    event: () => void told.events++,
    state: (state) => void told.states.push(state),
    signedOut: () => void told.signedOut++,
  })
  return told
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const newest = (): FakeSocket => FakeSocket.all.at(-1)!

describe('the figures of the dashboard', () => {
  it('come by polling every 2 s where no WebSocket passes', async ({ expect }) => {
    const told = start()
    expect(newest().url).toBe('wss://shop.example.com/_tidegate/api/v1/routes/shop/live')
    await pass(0)
    expect(told.statuses).toBe(1)
    // A proxy takes the connection, and nothing comes over it.
    newest().opens()
    await pass(10_000)
    expect(asked[0]).toBe('/_tidegate/api/v1/routes/shop/status')
    expect(told.statuses).toBeGreaterThanOrEqual(5)
    expect(told.statuses).toBeLessThanOrEqual(6)
    expect(told.states).toContain('polling')
    expect(told.states).not.toContain('live')
  })

  it('come by polling at once when the WebSocket breaks, until there is one again', async ({
    expect,
  }) => {
    const told = start()
    newest().opens()
    newest().says({ type: 'status', status: {} })
    expect(told.states).toEqual(['live'])
    await pass(3000)
    const before = asked.length
    newest().close()
    await pass(0)
    expect(asked.length).toBe(before + 1)
    expect(told.states.at(-1)).toBe('polling')
    await pass(5000)
    expect(FakeSocket.all).toHaveLength(2)
    expect(asked.length).toBeGreaterThan(before + 2)
    newest().opens()
    newest().says({ type: 'status', status: {} })
    newest().says({ type: 'event', event: {} })
    expect(told.states.at(-1)).toBe('live')
    expect(told.events).toBe(1)
  })

  it('come without polling while the WebSocket brings them', async ({ expect }) => {
    const told = start()
    newest().opens()
    for (let second = 0; second < 20; second++) {
      newest().says({ type: 'status', status: {} })
      await pass(1000)
    }
    // Only the first status, before anything has come.
    expect(asked).toHaveLength(1)
    expect(told.statuses).toBe(21)
    expect(told.states).not.toContain('polling')
    expect(newest().sent).toContain('ping')
  })

  it('are read every 10 s from an idle gate, which only answers pings', async ({ expect }) => {
    const told = start()
    newest().opens()
    for (let second = 0; second < 30; second++) {
      newest().says('pong')
      await pass(1000)
    }
    expect(asked.length).toBeGreaterThanOrEqual(3)
    expect(asked.length).toBeLessThanOrEqual(4)
    expect(told.states).not.toContain('polling')
  })

  it('come over a new WebSocket if nothing is heard of the old one for 15 s', async ({
    expect,
  }) => {
    start()
    newest().opens()
    await pass(17_000)
    expect(FakeSocket.all[0]!.readyState).toBe(3)
    await pass(5000)
    expect(FakeSocket.all).toHaveLength(2)
  })

  it('are lost if polling fails, too, and come again', async ({ expect }) => {
    answer = () => new Response('', { status: 503 })
    const told = start()
    newest().close()
    await pass(0)
    expect(told.states.at(-1)).toBe('lost')
    answer = () => Response.json({})
    await pass(5000)
    expect(told.states.at(-1)).toBe('polling')
  })

  it('end with the session of the operator, and when the page leaves the route', async ({
    expect,
  }) => {
    answer = () => Response.json({ title: 'Unauthorized' }, { status: 401 })
    const told = start()
    await pass(0)
    expect(told.signedOut).toBe(1)
    expect(told.states).toEqual([])
    stop()
    const before = asked.length
    await pass(60_000)
    expect(asked.length).toBe(before)
    expect(FakeSocket.all).toHaveLength(1)
  })
})
