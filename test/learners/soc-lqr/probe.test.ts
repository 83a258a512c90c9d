import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  endProbe,
  isProbe,
  NO_PROBE,
  observeProbe,
  type Probe,
  type ProbeEvidence,
  probedLoad,
} from '../../../src/learners/soc-lqr/probe.ts'

/** 100 completions at the limit, 0.95 of the capacity, and no queue. */
const QUIET: ProbeEvidence = {
  load: 0.95,
  limit: 0.95,
  completions: 100,
  seconds: 5,
  patienceS: 10,
  queueing: 0,
  certainty: 1,
}

function after(intervals: number, evidence: ProbeEvidence, from: Probe = NO_PROBE): Probe {
  let probe = from
  for (let n = 0; n < intervals; n++) probe = observeProbe(probe, evidence)
  return probe
}

describe('capacity may be back', () => {
  it('is tried after 300 completions at the limit without a queue: at 1.03 of what was measured', ({
    expect,
  }) => {
    expect(probedLoad(after(2, QUIET), 0)).toBe(0)
    expect(probedLoad(after(3, QUIET), 0)).toBe(1.03)
  })

  it('waits for three times what is usual between queues: 900 completions for a usual 300', ({
    expect,
  }) => {
    const usual = { ...NO_PROBE, usual: 300 }
    expect(after(8, QUIET, usual).stage).toBe(0)
    expect(after(9, QUIET, usual).stage).toBe(1)
  })

  it('waits for a while of its own as well: 20 s are four intervals of 5 s', ({ expect }) => {
    expect(after(3, { ...QUIET, patienceS: 20 }).stage).toBe(0)
    expect(after(4, { ...QUIET, patienceS: 20 }).stage).toBe(1)
  })

  it('is not tried while the load is below 0.9 of its limit: nothing waits there anyway', ({
    expect,
  }) => {
    expect(after(100, { ...QUIET, load: 0.84 })).toEqual(NO_PROBE)
  })

  it('is tried sooner where it is doubtful: 0.5 certain takes half the completions', ({
    expect,
  }) => {
    expect(after(2, { ...QUIET, certainty: 0.5, patienceS: 0 }).stage).toBe(1)
  })
})

describe('a probe that nothing answers goes on', () => {
  const raised: Probe = { ...NO_PROBE, stage: 1 }

  it('to 1.12 and 1.3, each after 200 completions that were carried', ({ expect }) => {
    const second = after(2, { ...QUIET, load: 1.03 }, raised)
    expect(probedLoad(second, 0)).toBe(1.12)
    const third = after(2, { ...QUIET, load: 1.12 }, second)
    expect(probedLoad(third, 0)).toBe(1.3)
  })

  it('only counts what was really carried: 0.95 is no load of 1.03', ({ expect }) => {
    expect(after(50, QUIET, raised)).toEqual(raised)
  })

  it('then goes at once to a capacity that is remembered, by 1.5 times at the most', ({
    expect,
  }) => {
    const third: Probe = { ...NO_PROBE, stage: 3 }
    expect(probedLoad(third, 1.4)).toBe(1.4)
    expect(probedLoad(third, 1.67)).toBe(1.5)
    expect(probedLoad(raised, 1.4)).toBe(1.03)
  })
})

describe('a probe that queueing answers', () => {
  it('ends at z > 0.6, and the next one waits twice as long', ({ expect }) => {
    const ended = observeProbe({ ...NO_PROBE, stage: 1 }, { ...QUIET, queueing: 0.7 })
    expect(ended).toMatchObject({ stage: 0, failed: 1 })
    // 100 of 5000 completions until it is forgiven make it a little less than 600.
    expect(after(5, QUIET, ended).stage).toBe(0)
    expect(after(6, QUIET, ended).stage).toBe(1)
  })

  it('waits 2⁵ times as long at the most, and a failure is forgiven after 5000 completions', ({
    expect,
  }) => {
    expect(endProbe({ ...NO_PROBE, stage: 1, failed: 5 }).failed).toBe(5)
    const forgiven = observeProbe({ ...NO_PROBE, failed: 1 }, { ...QUIET, completions: 5000 })
    expect(forgiven.failed).toBe(0)
  })

  it('was right when it got to the end: no failure is counted', ({ expect }) => {
    expect(endProbe({ ...NO_PROBE, stage: 3, failed: 2 }).failed).toBe(0)
  })

  it('learns what is usual from a queue at the limit: 400 quiet completions make 100 to 130', ({
    expect,
  }) => {
    const queued = observeProbe({ ...NO_PROBE, quiet: 400 }, { ...QUIET, queueing: 0.4 })
    expect(queued).toMatchObject({ usual: 130, quiet: 0 })
  })
})

it('never asks for more than 1.5 of the capacity, whatever it is shown', ({ expect }) => {
  const amount = fc.double({ min: 0, max: 1e4, noNaN: true })
  const evidence: fc.Arbitrary<ProbeEvidence> = fc.record({
    load: amount,
    limit: amount,
    completions: fc.nat(10_000),
    seconds: amount,
    patienceS: amount,
    queueing: fc.oneof(fc.constant(0), amount),
    certainty: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(evidence, { maxLength: 40 }), amount, (all, remembered) => {
      const probe = all.reduce(observeProbe, NO_PROBE)
      expect(isProbe(probe)).toBe(true)
      expect(probedLoad(probe, remembered)).toBeLessThanOrEqual(1.5)
    }),
  )
})
