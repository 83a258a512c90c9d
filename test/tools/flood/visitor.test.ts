import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { Arrival } from '../../../tools/flood/crowd.ts'
import { PageCounts } from '../../../tools/flood/page-counts.ts'
import { type FloodState, Visitor } from '../../../tools/flood/visitor.ts'

interface Call {
  readonly path: string
  readonly cookie: string | undefined
  readonly handler: Visitor
}

const session: Arrival = { atMs: 0, walk: ['home', 'cart'], thinkMs: [500, 500] }
const control = { abort: vi.fn<(reason: Error) => void>() }
const controller = control as unknown as Dispatcher.DispatchController

/** A flood with requests that the test answers. */
function openFlood(changes: Partial<FloodState> = {}) {
  const calls: Call[] = []
  const counts = new PageCounts(1000, () => 0)
  const failures: string[] = []
  let sockets = 0
  const flood: FloodState = {
    counts,
    patienceMs: 3000,
    retry: false,
    nowMs: () => Date.now(),
    phase: () => 'surge',
    takeSocket: () => ++sockets > 0,
    freeSocket: () => --sockets,
    dispatch: ({ path, headers }, handler) => {
      const { cookie } = headers as Record<string, string>
      calls.push({ path, cookie, handler: handler as Visitor })
      handler.onRequestStart?.(controller, {})
    },
    noteFailure: (code) => failures.push(code),
    ...changes,
  }
  return { flood, calls, counts, failures, sockets: () => sockets }
}

function answer({ handler }: Call, status: number, headers: Record<string, string>): void {
  handler.onResponseStart(controller, status, headers)
  handler.onResponseEnd()
}

describe('a visitor of the flood', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    control.abort.mockClear()
  })

  it('goes from page to page with its cookies and think times', ({ expect }) => {
    const { flood, calls, counts, sockets } = openFlood()
    new Visitor(flood, session).ask()
    vi.advanceTimersByTime(200)
    answer(calls[0]!, 200, { 'demo-page': 'home', 'set-cookie': 'session=x; Path=/' })
    expect(calls).toHaveLength(1)
    vi.advanceTimersByTime(500)
    expect(calls.map(({ path, cookie }) => [path, cookie])).toEqual([
      ['/', undefined],
      [expect.stringMatching(/^\/cart\?add=/), 'session=x'],
    ])
    answer(calls[1]!, 200, { 'demo-page': 'cart' })
    vi.runAllTimers()
    expect(calls).toHaveLength(2)
    expect(counts.totals('surge')).toMatchObject({ sent: 2, inSla: 2, unfinished: 0 })
    expect(sockets()).toBe(0)
  })

  it('gives up after its patience, resets the connection and leaves', ({ expect }) => {
    const { flood, calls, counts, sockets } = openFlood()
    new Visitor(flood, session).ask()
    vi.advanceTimersByTime(3000)
    expect(control.abort).toHaveBeenCalledOnce()
    calls[0]!.handler.onResponseError(controller, new Error('aborted'))
    vi.runAllTimers()
    expect(counts.totals('surge')).toMatchObject({ sent: 1, abandoned: 1, failed: 0 })
    expect([calls.length, sockets()]).toEqual([1, 0])
  })

  it('resets a request that gets its connection only after the visitor gave up', ({ expect }) => {
    const { flood, calls } = openFlood({
      dispatch: (_, handler) =>
        void calls.push({ path: '', cookie: '', handler: handler as Visitor }),
    })
    new Visitor(flood, session).ask()
    vi.advanceTimersByTime(3000)
    expect(control.abort).not.toHaveBeenCalled()
    calls[0]!.handler.onRequestStart(controller)
    expect(control.abort).toHaveBeenCalledOnce()
  })

  it('leaves when it is refused with 503 or 429', ({ expect }) => {
    for (const status of [503, 429]) {
      const { flood, calls, counts } = openFlood()
      new Visitor(flood, session).ask()
      answer(calls[0]!, status, { 'retry-after': '2' })
      vi.runAllTimers()
      expect(calls).toHaveLength(1)
      expect(counts.totals('surge')).toMatchObject({ sent: 1, refused: 1, admitted: 0 })
    }
  })

  it('comes back with --retry after Retry-After, at most three times, with its cookies', ({
    expect,
  }) => {
    const { flood, calls, counts } = openFlood({ retry: true })
    new Visitor(flood, session).ask()
    for (let i = 0; i < 4; i++) {
      answer(calls[i]!, 503, { 'retry-after': '2', 'set-cookie': 'wait=signed' })
      vi.advanceTimersByTime(1999)
      expect(calls).toHaveLength(i + 1)
      vi.advanceTimersByTime(1)
    }
    expect(calls.map(({ cookie }) => cookie)).toEqual([
      undefined,
      'wait=signed',
      'wait=signed',
      'wait=signed',
    ])
    expect(counts.totals('surge').refused).toBe(4)
  })

  it('accepts only the page that it requested: errors, other pages and resets count as failed', ({
    expect,
  }) => {
    const { flood, calls, counts, failures } = openFlood()
    for (let i = 0; i < 4; i++) new Visitor(flood, session).ask()
    answer(calls[0]!, 502, {})
    answer(calls[1]!, 200, { 'demo-page': 'cart' })
    answer(calls[2]!, 200, {})
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    calls[3]!.handler.onResponseError(controller, reset)
    vi.runAllTimers()
    expect(counts.totals('surge')).toMatchObject({ sent: 4, failed: 4 })
    expect(failures).toEqual(['HTTP 502', 'HTTP 200', 'HTTP 200', 'ECONNRESET'])
    expect(calls).toHaveLength(4)
  })

  it('is dropped and counted if there is no socket for it', ({ expect }) => {
    const { flood, calls, counts } = openFlood({ takeSocket: () => false })
    new Visitor(flood, session).ask()
    expect(calls).toHaveLength(0)
    expect(counts.totals('surge')).toMatchObject({ dropped: 1, sent: 0 })
  })

  it('requests nothing after the end of the run', ({ expect }) => {
    const { flood, calls } = openFlood({ phase: () => null })
    new Visitor(flood, session).ask()
    expect(calls).toHaveLength(0)
  })
})
