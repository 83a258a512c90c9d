import { describe, it } from 'vitest'
import { AnswerWindows, timedAnswers } from '../../src/coordinator/answer-windows.ts'
import { feedbackOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

/** A report of so many answers of 20 ms in each of two classes. */
function reportOf(sender: string, a: number, b: number) {
  const counted = (answers: number) => ({
    latency: histogramOf(new Array<number>(answers).fill(20)),
    latencyUs: 20_000 * answers,
  })
  return feedbackOf({ shop: { a: counted(a), b: counted(b) } }, { sender })
}

describe('the windows in which answers are compared', () => {
  it('are those of one sender each, and end when it has seen four answers', ({ expect }) => {
    const windows = new AnswerWindows()
    windows.add(reportOf('far', 1, 1), 1000)
    windows.add(reportOf('near', 5, 1), 1000)
    expect(windows.take(1000).map((window) => window.get('shop/a')?.answers)).toEqual([5])
    windows.add(reportOf('far', 1, 2), 2000)
    const [window] = windows.take(2000)
    expect(window?.get('shop/a')).toEqual({ answers: 2, sumMs: 40, extra: 0 })
    expect(window?.get('shop/b')).toEqual({ answers: 3, sumMs: 60, extra: 0 })
    expect(windows.take(3000)).toEqual([])
  })

  it('forget what a sender that has fallen silent had seen', ({ expect }) => {
    const windows = new AnswerWindows()
    windows.add(reportOf('isolate', 2, 1), 1000)
    expect(windows.take(62_000)).toEqual([])
    windows.add(reportOf('isolate', 2, 1), 63_000)
    expect(windows.take(63_000)).toEqual([])
  })

  it('have no answers of a route while it serves lighter pages', ({ expect }) => {
    const { shop } = reportOf('isolate', 5, 5).routes
    const at = (step: number) => ({ ...shop!, quality: { [step]: { requests: 10, us: 200_000 } } })
    expect(timedAnswers('shop', at(0)).size).toBe(2)
    expect(timedAnswers('shop', at(1)).size).toBe(0)
  })
})
