import { describe, it } from 'vitest'
import { outcomesOf } from '../../src/coordinator/outcomes.ts'
import type { ClassFeedback } from '../../src/protocol/feedback.ts'
import { NO_CLASS_FEEDBACK } from '../../src/protocol/merge-reports.ts'

const outcomes = (given: Partial<ClassFeedback>) => outcomesOf({ ...NO_CLASS_FEEDBACK, ...given })

describe('those who do not get in at once', () => {
  it('are refused, unless something else happened to them', ({ expect }) => {
    const refusals = { 'sold-out': 3 }
    expect(outcomes({ offered: 10, admitted: 4, early: 2, overQuota: 1, refusals })).toEqual({
      ...{ refused: 12, queued: 0, degraded: 0 },
    })
  })

  it('are counted when they come, and not again with each refresh of their ticket', ({
    expect,
  }) => {
    // Of 10 who come, 2 are drawn. 40 refreshes wait on, 3 come too early, and 6 tickets enter.
    const queued = { share: 8, waiting: 40, early: 3 }
    const counts = { offered: 10, admitted: 8, byTicket: 6, tickets: 46, early: 3, queued }
    expect(outcomes(counts)).toEqual({ refused: 0, queued: 8, degraded: 0 })
  })

  it('wait in line, before an event, too', ({ expect }) => {
    const queued = { share: 3, waiting: 2, early: 1, event: 5 }
    expect(outcomes({ offered: 10, admitted: 4, early: 1, queued })).toEqual({
      ...{ refused: 1, queued: 10, degraded: 0 },
    })
  })

  it('get a lighter answer; with lower quality they get in', ({ expect }) => {
    const [degrades, redirects] = [{ share: 2, quality: 4 }, { share: 1 }]
    expect(outcomes({ offered: 10, admitted: 6, degrades, redirects })).toEqual({
      ...{ refused: 1, queued: 0, degraded: 7 },
    })
  })

  it('are none in observe', ({ expect }) => {
    expect(outcomes({ offered: 10, admitted: 10, wouldRefuse: 6, queued: { share: 6 } })).toEqual({
      ...{ refused: 0, queued: 0, degraded: 0 },
    })
  })
})
