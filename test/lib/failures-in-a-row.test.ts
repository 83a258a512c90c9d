import { describe, it } from 'vitest'
import { FailuresInARow } from '../../src/lib/failures-in-a-row.ts'

describe('failures in a row', () => {
  it('count once for those within 900 ms, however many there are', ({ expect }) => {
    const failures = new FailuresInARow()
    for (let ms = 0; ms <= 2000; ms += 225) failures.add(ms)
    expect(failures.count).toBe(3)
  })

  it('start from nothing after a success, and go on if the clock is set back', ({ expect }) => {
    const failures = new FailuresInARow()
    failures.add(5000)
    failures.over()
    failures.add(5100)
    expect(failures.count).toBe(1)
    failures.add(1000)
    expect(failures.count).toBe(2)
  })
})
