import { describe, it } from 'vitest'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { createLearner } from '../../src/learners/registry.ts'
import { CHOICES } from '../support/learner-choices.ts'
import { classTick, tick, times } from '../support/samples.ts'

/** Calm, a tenfold surge that slows the origin down, silence, an announced loss, and calm again. */
const flashCrowd: readonly Sample[] = Array.from({ length: 240 }, (_, second) => {
  const wave = 1 + 0.3 * Math.sin(second / 7)
  const surge = second >= 90 && second < 150
  const offered = Math.round((surge ? 200 : 20) * wave)
  const admitted = Math.round(offered * (surge ? 0.6 : 1))
  const silent = second >= 150 && second < 160
  const timesMs = silent ? [] : times(Math.min(admitted, 60), (surge ? 1400 : 180) * wave)
  return tick({
    offered,
    admitted,
    goodput: timesMs.length,
    inFlight: surge ? 80 : 3,
    timesMs,
    failed: surge ? 3 : 0,
    classes: [
      classTick({ key: 'shop/gold', value: 5, offered: offered / 4, timesMs }),
      classTick({ key: 'shop/bronze', value: 1, offered: (offered * 3) / 4, timesMs }),
    ],
    capacity: second === 180 ? [{ before: 20, after: 14 }] : [],
  })
})

describe.each(CHOICES)('$name $options, restarted', (choice) => {
  it('decides the same after a restart at any tick', ({ expect }) => {
    const straight = createLearner(choice).learner
    let restarted = createLearner(choice).learner
    for (const sample of flashCrowd) {
      const stored: unknown = JSON.parse(JSON.stringify(restarted.state))
      const created = createLearner(choice, stored)
      expect(created.note).toBeNull()
      expect(created.learner.state).toEqual(stored)
      restarted = created.learner
      expect(restarted.update(sample)).toEqual(straight.update(sample))
    }
  })

  it('returns a state that no later update changes in place', ({ expect }) => {
    const { learner } = createLearner(choice)
    for (const sample of flashCrowd.slice(0, 120)) {
      const { state } = learner
      const before = JSON.stringify(state)
      learner.update(sample)
      expect(JSON.stringify(state)).toBe(before)
    }
  })

  it('starts from scratch with garbage and says so', ({ expect }) => {
    const { learner } = createLearner(choice)
    for (const sample of flashCrowd.slice(0, 100)) learner.update(sample)
    const garbage = [
      'words',
      17,
      [],
      {},
      { version: 0 },
      { ...learner.state, version: 99 },
      Object.fromEntries(Object.keys(learner.state).map((key) => [key, null])),
    ]
    for (const state of garbage) {
      const created = createLearner(choice, state)
      const first = createLearner(choice).learner
      expect(created.note).toContain(`does not fit learner ${choice.name}`)
      expect(created.learner.state).toEqual(first.state)
      expect(created.learner.update(flashCrowd[0]!)).toEqual(first.update(flashCrowd[0]!))
    }
  })

  it('starts from scratch without a note if there is no state yet', ({ expect }) => {
    expect(createLearner(choice).note).toBeNull()
    expect(createLearner(choice, null).note).toBeNull()
  })
})

describe('createLearner', () => {
  it('names the known learners when asked for an unknown one', ({ expect }) => {
    expect(() => createLearner({ name: 'toString', options: {} })).toThrow(
      /expected one of fixed, aimd, .* got "toString"/,
    )
  })
})
