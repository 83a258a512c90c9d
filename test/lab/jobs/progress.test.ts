import { describe, it } from 'vitest'
import { progressLine } from '../../../lab/jobs/progress.ts'

describe('the progress of many runs', () => {
  it('estimates the remaining time: 30 of 120 runs in 60 s leave 90 runs of 2 s', ({ expect }) => {
    const line = { title: 'tournament', done: 30, of: 120, elapsedMs: 60_000 }
    expect(progressLine(line)).toBe(
      'tournament [#####---------------] 30 of 120 runs, 3 min 0 s left',
    )
    expect(progressLine({ ...line, done: 0 })).toContain('starting')
    expect(progressLine({ ...line, done: 120 })).toContain(
      '[####################] 120 of 120 runs, 0 s left',
    )
  })
})
