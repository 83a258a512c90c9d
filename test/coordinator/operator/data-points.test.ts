import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import type { AnalyticsPoint } from '../../../src/coordinator/operator/data-points.ts'
import { OperatorDesk } from '../../../src/coordinator/operator/desk.ts'
import { MemoryStore } from '../../../src/coordinator/operator/store.ts'
import { feedbackOf, setupOf } from '../../support/feedback.ts'

describe('data points for Workers Analytics Engine', () => {
  it('are one for each class with traffic and each minute', ({ expect }) => {
    const points: AnalyticsPoint[] = []
    const core = new CoordinatorCore()
    const desk = new OperatorDesk(core, new MemoryStore(), 0, {
      tell: () => {},
      count: (given) => void points.push(...given),
    })
    const second = {
      offered: 10,
      admitted: 8,
      early: 1,
      requests: 8,
      served: 7,
      failed: 1,
      late: 2,
    }
    const counts = { shop: { default: { ...second, latencyUs: 700_000 } } }
    for (let s = 1; s <= 125; s++) {
      const given = { seq: s, toMs: s * 1000, setup: setupOf() }
      core.handle(feedbackOf(s <= 60 ? counts : {}, given), s * 1000)
      desk.follow(s * 1000)
    }
    // The 60th tick belongs to the second minute. The third minute has not ended.
    expect(points).toEqual([
      {
        ...{ indexes: ['shop'], blobs: ['origin', 'shop', 'default'] },
        doubles: [590, 472, 177, 472, 413, 59, 118, expect.closeTo(41.3)],
      },
      {
        ...{ indexes: ['shop'], blobs: ['origin', 'shop', 'default'] },
        doubles: [10, 8, 3, 8, 7, 1, 2, 0.7],
      },
    ])
  })
})
