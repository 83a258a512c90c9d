import fc from 'fast-check'
import { describe, it } from 'vitest'
import { Agenda } from '../../../lab/engine/agenda.ts'

interface Happened {
  readonly atMs: number
  readonly kind: number
  readonly subject: number
}

function recorder(agenda: Agenda) {
  const happened: Happened[] = []
  const actor = agenda.register({
    handle: (kind, subject) => happened.push({ atMs: agenda.nowMs, kind, subject }),
  })
  return { actor, happened }
}

describe('the agenda', () => {
  it('runs events by time, equal times in the order of scheduling', ({ expect }) => {
    // Times from a small set, so that many are equal.
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 400 }), (times) => {
        const agenda = new Agenda()
        const { actor, happened } = recorder(agenda)
        for (const [i, atMs] of times.entries()) agenda.schedule(atMs, actor, i % 16, i)
        agenda.runUntil(100)
        const expected = times
          .map((atMs, i) => ({ atMs, kind: i % 16, subject: i }))
          .sort((a, b) => a.atMs - b.atMs || a.subject - b.subject)
        expect(happened).toEqual(expected)
      }),
    )
  })

  it('keeps that order while events schedule new events', ({ expect }) => {
    const agenda = new Agenda()
    const order: number[] = []
    const actor = agenda.register({
      handle(_kind, subject) {
        order.push(subject)
        if (subject < 100) agenda.schedule(agenda.nowMs, actor, 0, subject + 100)
      },
    })
    for (let i = 0; i < 3; i++) agenda.schedule(5, actor, 0, i)
    agenda.runUntil(5)
    expect(order).toEqual([0, 1, 2, 100, 101, 102])
  })

  it('stops at the given time, after the events that are due then', ({ expect }) => {
    const agenda = new Agenda()
    const { actor, happened } = recorder(agenda)
    agenda.schedule(10, actor, 0, 1)
    agenda.schedule(10.001, actor, 0, 2)
    agenda.runUntil(10)
    expect(happened.map(({ subject }) => subject)).toEqual([1])
    expect(agenda.nowMs).toBe(10)
  })

  it('rejects an event in the past and one at NaN', ({ expect }) => {
    const agenda = new Agenda()
    const { actor } = recorder(agenda)
    agenda.runUntil(10)
    expect(() => agenda.schedule(9, actor, 0, 0)).toThrow(RangeError)
    expect(() => agenda.schedule(Number.NaN, actor, 0, 0)).toThrow(RangeError)
  })
})
