import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  EMPTY_QUEUE,
  placesIn,
  type QueueState,
  queueAfter,
  queuePlanOf,
} from '../../../src/coordinator/queue/class-queue.ts'
import { NO_CLASS_FEEDBACK } from '../../../src/protocol/merge-reports.ts'
import { cellName, slotOf } from '../../../src/protocol/queue-plan.ts'

const START_S = 1_700_000_000

/** One visitor: arrives, comes back every few seconds, and may leave for good. */
interface Person {
  readonly keyS: number
  readonly everyS: number
  readonly leavesS: number
  nextS: number
  slot: number
  isPlaced: boolean
  isIn: boolean
}

const crowds = fc.array(
  fc.record({
    arrivesS: fc.integer({ min: 0, max: 40 }),
    fraction: fc.double({ min: 0, max: 0.999, noNaN: true }),
    everyS: fc.integer({ min: 2, max: 6 }),
    staysS: fc.integer({ min: 3, max: 400 }),
  }),
  { minLength: 1, maxLength: 300 },
)

/** Runs a waiting room second by second with one isolate that always has the newest plan. */
function play(crowd: readonly Person[], rate: number, seconds: number) {
  let state: QueueState = EMPTY_QUEUE
  const watermarks: number[] = []
  const entries: { readonly atS: number; readonly keyS: number }[] = []
  const keptOut: { readonly atS: number; readonly keyS: number }[] = []
  for (let second = 0; second < seconds; second++) {
    const nowS = START_S + second
    const places: Record<string, number> = {}
    const fresh: Record<string, number> = {}
    const counts = { byTicket: 0, returned: 0 }
    const add = (to: Record<string, number>, { keyS, slot }: Person, change: number): void => {
      const name = cellName(keyS, state.counts.widthS, slot)
      to[name] = (to[name] ?? 0) + change
    }
    const plan = queuePlanOf(state, rate)
    for (const person of crowd) {
      if (person.isIn || person.nextS !== nowS || nowS > person.leavesS) continue
      const isNew = person.slot === 0
      if (!isNew) {
        add(person.isPlaced ? places : fresh, person, -1)
        if (!person.isPlaced) counts.returned++
        if (plan !== null && person.keyS <= plan.watermark) {
          person.isIn = true
          counts.byTicket++
          entries.push({ atS: nowS, keyS: person.keyS })
          continue
        }
        person.isPlaced = true
        keptOut.push({ atS: nowS, keyS: person.keyS })
      }
      person.nextS = nowS + person.everyS
      person.slot = slotOf(nowS + 2 * person.everyS + 1)
      add(person.isPlaced ? places : fresh, person, 1)
    }
    const feedback = { ...NO_CLASS_FEEDBACK, ...counts, admitted: counts.byTicket, places, fresh }
    state = queueAfter(state, { feedback, rate, seconds: 1, nowMs: nowS * 1000 })
    watermarks.push(state.mark.watermark)
  }
  return { watermarks, entries, keptOut, state }
}

const peopleOf = (
  crowd: readonly { arrivesS: number; fraction: number; everyS: number; staysS: number }[],
): Person[] =>
  crowd.map(({ arrivesS, fraction, everyS, staysS }) => ({
    ...{ keyS: START_S + arrivesS + fraction, everyS, slot: 0, isPlaced: false, isIn: false },
    ...{ nextS: START_S + arrivesS, leavesS: START_S + arrivesS + staysS },
  }))

describe('the watermark, for any order of arrivals, refreshes and departures', () => {
  it('never moves back', ({ expect }) => {
    fc.assert(
      fc.property(crowds, fc.integer({ min: 1, max: 40 }), (crowd, rate) => {
        const { watermarks } = play(peopleOf(crowd), rate, 90)
        expect(watermarks.every((mark, i) => i === 0 || mark >= watermarks[i - 1]!)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('lets nobody be overtaken by a later ticket by more than two ticks', ({ expect }) => {
    fc.assert(
      fc.property(crowds, fc.integer({ min: 1, max: 40 }), (crowd, rate) => {
        const { entries, keptOut } = play(peopleOf(crowd), rate, 90)
        for (const { atS, keyS } of keptOut)
          expect(entries.some((one) => one.atS < atS - 2 && one.keyS > keyS)).toBe(false)
      }),
      { numRuns: 40 },
    )
  })

  it('lets everybody in who stays, and then nobody waits', ({ expect }) => {
    fc.assert(
      fc.property(crowds, (crowd) => {
        const people = peopleOf(crowd.map((one) => ({ ...one, staysS: 10_000 })))
        const { state } = play(people, 20, 150)
        expect(people.every(({ isIn }) => isIn)).toBe(true)
        expect(placesIn(state)).toBe(0)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a crowd that is ten times the limit', () => {
  const crowdOf = (staysS: (i: number) => number): Person[] =>
    peopleOf(
      Array.from({ length: 6000 }, (_, i) => ({
        arrivesS: Math.floor(i / 150),
        fraction: ((i * 7919) % 1000) / 1000,
        everyS: 3,
        staysS: staysS(i),
      })),
    )

  it('enters at the limit within 5 %', ({ expect }) => {
    const { entries } = play(
      crowdOf(() => 10_000),
      15,
      200,
    )
    const counted = entries.filter(({ atS }) => atS >= START_S + 20)
    expect(counted.length / 180 / 15).toBeGreaterThan(0.95)
    expect(counted.length / 180 / 15).toBeLessThan(1.05)
  })

  it('uses at least 95 % of the limit when 60 % of the waiting leave', ({ expect }) => {
    const { entries } = play(
      crowdOf((i) => (i % 5 < 3 ? 5 + (i % 60) : 10_000)),
      15,
      140,
    )
    const counted = entries.filter(({ atS }) => atS >= START_S + 20)
    expect(counted.length / 120 / 15).toBeGreaterThan(0.95)
  })
})

describe('people who left without a word', () => {
  it('hold their places for at most 10 s after the second refresh that they missed', ({
    expect,
  }) => {
    const lastSeenS = 5
    const gone = { arrivesS: 0, fraction: 0.5, everyS: 5, staysS: lastSeenS }
    const stays = { arrivesS: 3, fraction: 0.5, everyS: 2, staysS: 10_000 }
    const crowd = [...Array.from({ length: 300 }, () => gone), stays]
    const { entries } = play(peopleOf(crowd), 1, 60)
    const [entered] = entries.filter(({ keyS }) => keyS > START_S + 3)
    const missedTwiceS = START_S + lastSeenS + 2 * gone.everyS
    // One enters per second: with all places of the others this would take five minutes.
    expect(entered!.atS).toBeGreaterThan(missedTwiceS)
    expect(entered!.atS).toBeLessThanOrEqual(missedTwiceS + 10 + stays.everyS)
  })
})

describe('a million who wait', () => {
  it('need no more memory than the number of buckets and slots', ({ expect }) => {
    let state: QueueState = EMPTY_QUEUE
    for (let second = 0; second < 1500; second += 10) {
      const nowS = START_S + second
      const fresh = Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [
          cellName(nowS + i, state.counts.widthS, slotOf(nowS + 61)),
          700,
        ]),
      )
      const feedback = { ...NO_CLASS_FEEDBACK, fresh: {}, places: fresh }
      state = queueAfter(state, { feedback, rate: 1, seconds: 10, nowMs: nowS * 1000 })
    }
    expect(state.counts.cells.length / 4).toBeLessThan(256 * 20)
    expect(queuePlanOf(state, 1)!.ahead.length).toBeLessThanOrEqual(2 * 33)
  })
})
