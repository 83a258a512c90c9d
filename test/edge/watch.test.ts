import { describe, it } from 'vitest'
import { Watch } from '../../src/edge/watch.ts'

const watched = (times: readonly number[]): number => {
  const watch = new Watch()
  return times.filter((ms) => watch.next(ms)).length
}

describe('watching the last byte', () => {
  it('is for everyone at low rates: 10/s for a minute', ({ expect }) => {
    expect(watched(Array.from({ length: 600 }, (_, i) => i * 100))).toBe(600)
  })

  it('is for 20 a second at high ones: 1000/s for 5 s', ({ expect }) => {
    expect(watched(Array.from({ length: 5000 }, (_, i) => i))).toBe(100)
  })
})
