import { describe, it } from 'vitest'
import { ClassRoom } from '../../../src/admission/queue/class-room.ts'
import type { QueuePlan } from '../../../src/protocol/queue-plan.ts'

const planOf = (limit: number | null): QueuePlan => ({
  ...{ watermark: 100, isDirect: false, limit, bucketS: 1, ahead: [100, 0] },
  ...{ rate: 10, leaving: 0, low: 0.8, high: 1.2 },
})

/** A called ticket comes every millisecond. Returns how many enter in each of the seconds. */
function entries(limit: number | null, share: number, seconds: number): readonly number[] {
  const room = new ClassRoom(0)
  room.follow(planOf(limit), share, 0)
  return Array.from({ length: seconds }, (_, second) => {
    let entered = 0
    for (let ms = 0; ms < 1000; ms++) if (room.takeEntry(second * 1000 + ms)) entered++
    return entered
  })
}

describe('called tickets that come back together', () => {
  it('enter at 1.05 times the limit at the most, from the first second on', ({ expect }) => {
    for (const entered of entries(50, 1, 4)) expect(entered).toBeLessThanOrEqual(53)
  })

  it('enter at 1.5 times its part in an isolate that sees a part of them', ({ expect }) => {
    const [, second] = entries(50, 0.5, 2)
    expect(second).toBeLessThanOrEqual(38)
  })

  it('are not held where the part is too small to tell, or where there is no limit', ({
    expect,
  }) => {
    expect(entries(50, 0.05, 1)).toEqual([1000])
    expect(entries(null, 1, 1)).toEqual([1000])
  })
})
