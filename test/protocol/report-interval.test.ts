import { describe, it } from 'vitest'
import { checkedAnswer, type ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import { intervalFor } from '../../src/protocol/report-interval.ts'
import { planOf } from '../support/requests.ts'

describe('the time between reports that a receiver asks for', () => {
  it('keeps all reports together at 100 a second, within 250 and 1000 ms', ({ expect }) => {
    const at = (senders: number) => intervalFor(planOf(), senders).everyMs
    expect([0, 1, 25, 40, 75, 100, 5000].map(at)).toEqual([250, 250, 250, 400, 750, 1000, 1000])
  })

  it('is absent in calm, and without a plan', ({ expect }) => {
    expect(intervalFor(planOf({ calmMs: 5000 }), 1)).toEqual({})
    expect(intervalFor(null, 1)).toEqual({})
  })
})

describe('the time between reports in an answer', () => {
  const readFrom = (everyMs: unknown) =>
    checkedAnswer({ plan: null, share: 1, everyMs } as ReportAnswer)

  it('is bounded when it is read', ({ expect }) => {
    const given = [400, 0, -5, 249, 1001, Number.POSITIVE_INFINITY]
    const read = given.map((everyMs) => readFrom(everyMs).everyMs)
    expect(read).toEqual([400, 250, 250, 250, 1000, 1000])
  })

  it.for(['300', null, Number.NaN, {}])('is absent if it is %s', (everyMs, { expect }) => {
    expect(readFrom(everyMs)).toEqual({ plan: null, share: 1 })
  })
})
