import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { Session } from '../../../tools/crowd/session.ts'
import { type CrowdState, type RetryRule, Visitor } from '../../../tools/crowd/visitor.ts'
import { countInto } from '../../../tools/flood/count-into.ts'
import { PageCounts } from '../../../tools/flood/page-counts.ts'

interface Call {
  readonly path: string
  readonly cookie: string | undefined
  readonly handler: Visitor
}

const session: Session = {
  atMs: 0,
  pages: [
    { kind: 'home', path: '/' },
    { kind: 'cart', path: '/cart?add=5' },
  ],
  thinkMs: [500, 500],
}
const NEVER: RetryRule = { kind: 'never', most: 3 }
const AS_TOLD: RetryRule = { kind: 'told', most: 3 }
const IMPATIENT: RetryRule = { kind: 'impatient', most: 2, pauseMs: 100 }
const control = { abort: vi.fn<(reason: Error) => void>() }
const controller = control as unknown as Dispatcher.DispatchController

/** A crowd with requests that the test answers. */
function openCrowd(changes: Partial<CrowdState> = {}) {
  const calls: Call[] = []
  const counts = new PageCounts(1000, () => 0)
  const failures: Record<string, number> = {}
  let sockets = 0
  const crowd: CrowdState = {
    listener: countInto(counts, failures, 0),
    patienceMs: 3000,
    retry: NEVER,
    userAgent: 'test',
    nowMs: () => Date.now(),
    isOver: () => false,
    takeSocket: () => ++sockets > 0,
    freeSocket: () => --sockets,
    dispatch: ({ path, headers }, handler) => {
      const { cookie } = headers as Record<string, string>
      calls.push({ path, cookie, handler: handler as Visitor })
      handler.onRequestStart?.(controller, {})
    },
    ...changes,
  }
  return { crowd, calls, counts, failures, sockets: () => sockets }
}

function answer({ handler }: Call, status: number, headers: Record<string, string>): void {
  handler.onResponseStart(controller, status, headers)
  handler.onResponseEnd()
}

describe('a visitor of a crowd', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    control.abort.mockClear()
  })

  it('goes from page to page with its cookies and think times', ({ expect }) => {
    const { crowd, calls, counts, sockets } = openCrowd()
    new Visitor(crowd, session).ask()
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
    const { crowd, calls, counts, sockets } = openCrowd()
    new Visitor(crowd, session).ask()
    vi.advanceTimersByTime(3000)
    expect(control.abort).toHaveBeenCalledOnce()
    calls[0]!.handler.onResponseError(controller, new Error('aborted'))
    vi.runAllTimers()
    expect(counts.totals('surge')).toMatchObject({ sent: 1, abandoned: 1, failed: 0 })
    expect([calls.length, sockets()]).toEqual([1, 0])
  })

  it('resets a request that gets its connection only after the visitor gave up', ({ expect }) => {
    const { crowd, calls } = openCrowd({
      dispatch: (_, handler) =>
        void calls.push({ path: '', cookie: '', handler: handler as Visitor }),
    })
    new Visitor(crowd, session).ask()
    vi.advanceTimersByTime(3000)
    expect(control.abort).not.toHaveBeenCalled()
    calls[0]!.handler.onRequestStart(controller)
    expect(control.abort).toHaveBeenCalledOnce()
  })

  it('leaves when it is refused with 503 or 429', ({ expect }) => {
    for (const status of [503, 429]) {
      const { crowd, calls, counts } = openCrowd()
      new Visitor(crowd, session).ask()
      answer(calls[0]!, status, { 'retry-after': '2' })
      vi.runAllTimers()
      expect(calls).toHaveLength(1)
      expect(counts.totals('surge')).toMatchObject({ sent: 1, refused: 1, admitted: 0 })
    }
  })

  it('comes back as told after Retry-After, at most three times, with its cookies', ({
    expect,
  }) => {
    const { crowd, calls, counts } = openCrowd({ retry: AS_TOLD })
    new Visitor(crowd, session).ask()
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

  it('comes back at its own pace if it is impatient: after refusals, errors and giving up', ({
    expect,
  }) => {
    const { crowd, calls, counts, sockets } = openCrowd({ retry: IMPATIENT })
    new Visitor(crowd, session).ask()
    answer(calls[0]!, 503, { 'retry-after': '20', 'set-cookie': 'note=signed' })
    vi.advanceTimersByTime(99)
    expect(calls).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(calls).toHaveLength(2)
    vi.advanceTimersByTime(3100)
    expect(calls.map(({ cookie }) => cookie)).toEqual([undefined, 'note=signed', 'note=signed'])
    // The request that was given up ends only now. That is not the new request's error.
    calls[1]!.handler.onResponseError(controller, new Error('aborted'))
    answer(calls[2]!, 500, {})
    vi.runAllTimers()
    expect(calls).toHaveLength(3)
    expect(counts.totals('surge')).toMatchObject({ refused: 1, abandoned: 1, failed: 1 })
    expect(sockets()).toBe(0)
  })

  it('accepts only the page that it requested: errors, other pages and resets count as failed', ({
    expect,
  }) => {
    const { crowd, calls, counts, failures } = openCrowd()
    for (let i = 0; i < 4; i++) new Visitor(crowd, session).ask()
    answer(calls[0]!, 502, {})
    answer(calls[1]!, 200, { 'demo-page': 'cart' })
    answer(calls[2]!, 200, {})
    const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    calls[3]!.handler.onResponseError(controller, reset)
    vi.runAllTimers()
    expect(counts.totals('surge')).toMatchObject({ sent: 4, failed: 4 })
    expect(failures).toEqual({ 'HTTP 502': 1, 'HTTP 200': 2, ECONNRESET: 1 })
    expect(calls).toHaveLength(4)
  })

  it('is dropped and counted if there is no socket for it', ({ expect }) => {
    const { crowd, calls, counts } = openCrowd({ takeSocket: () => false })
    new Visitor(crowd, session).ask()
    expect(calls).toHaveLength(0)
    expect(counts.totals('surge')).toMatchObject({ dropped: 1, sent: 0 })
  })

  it('requests nothing after the end of the run', ({ expect }) => {
    const { crowd, calls } = openCrowd({ isOver: () => true })
    new Visitor(crowd, session).ask()
    expect(calls).toHaveLength(0)
  })
})
