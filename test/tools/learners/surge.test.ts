import { describe, it } from 'vitest'
import { surgeOf } from '../../../tools/learners/surge.ts'
import { surgePicture } from '../../../tools/learners/surge-picture.ts'

describe('the surges of docs/design/soc-lqr.md', () => {
  it.for(['request', 'session'] as const)(
    'on a %s route show every signal',
    (granularity, { expect }) => {
      const surge = surgeOf(granularity, 1)
      const picture = surgePicture(surge)
      for (const text of ['offered', 'limit', 'admitted', 'inside', 'C', 'served', 'target']) {
        expect(picture).toContain(`>${text}`)
      }
      // Sessions are let in at a rate alone.
      expect(picture.includes('>cap')).toBe(granularity === 'request')
      for (const text of ['z', 's', granularity === 'request' ? 'trim' : 'spare'])
        expect(picture).toContain(`>${text}<`)
      const queueing = surge.steps.flatMap(({ verdict }) => verdict?.queueing ?? [])
      expect(queueing.length).toBeGreaterThan(surge.steps.length / 4)
      expect(Math.max(...queueing)).toBeGreaterThan(1)
      expect(picture).not.toContain('NaN')
      const calm = surge.steps.filter(({ second }) => second <= surge.onsetS)
      const crowd = surge.steps.filter(({ second }) => second > surge.onsetS)
      const refused = (steps: typeof calm) =>
        steps.filter(
          ({ sample: { offered, admitted } }) => offered.requests > 1.5 * admitted.requests,
        )
      expect(refused(calm)).toEqual([])
      expect(refused(crowd).length).toBeGreaterThan(0)
    },
  )
})
