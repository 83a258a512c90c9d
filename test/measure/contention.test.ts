import { describe, it } from 'vitest'
import { Contention } from '../../src/measure/contention.ts'

describe('how much requests slow each other down', () => {
  it('tells the number of servers: 9 beside one at three servers make it take four times as long', ({
    expect,
  }) => {
    const crowding = new Contention()
    for (let i = 0; i < 20; i++) crowding.observe(400, 100, 9)
    expect(crowding.servers(7)).toBeCloseTo(3)
  })

  it('goes by what others say until 20 requests were seen', ({ expect }) => {
    const crowding = new Contention()
    for (let i = 0; i < 19; i++) crowding.observe(400, 100, 9)
    expect(crowding.servers(7)).toBe(7)
    expect(crowding.servers(0.2)).toBe(1)
  })

  it('goes by what others say where nothing slows down, and is never below one', ({ expect }) => {
    const fast = new Contention()
    for (let i = 0; i < 50; i++) fast.observe(99, 100, 9)
    expect(fast.servers(7)).toBe(7)
    const slow = new Contention()
    for (let i = 0; i < 50; i++) slow.observe(5000, 100, 9)
    expect(slow.servers(7)).toBe(1)
  })

  it('follows a change: twice the servers after some hundred requests', ({ expect }) => {
    const crowding = new Contention()
    for (let i = 0; i < 500; i++) crowding.observe(400, 100, 9)
    for (let i = 0; i < 300; i++) crowding.observe(250, 100, 9)
    expect(Math.abs(crowding.servers(1) / 6 - 1)).toBeLessThan(0.01)
  })

  it('learns nothing from a size that is not known', ({ expect }) => {
    const crowding = new Contention()
    for (let i = 0; i < 50; i++) crowding.observe(400, 0, 9)
    expect(crowding.servers(7)).toBe(7)
  })
})
