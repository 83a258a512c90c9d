import { describe, it } from 'vitest'
import { Contention } from '../../src/measure/contention.ts'

describe('how much requests slow each other down', () => {
  it('gives the number of servers: with 9 others at three servers, a request takes four times as long', ({
    expect,
  }) => {
    const contention = new Contention()
    for (let i = 0; i < 20; i++) contention.observe(400, 100, 9)
    expect(contention.servers(7)).toBeCloseTo(3)
  })

  it('uses the given number until 20 requests were observed', ({ expect }) => {
    const contention = new Contention()
    for (let i = 0; i < 19; i++) contention.observe(400, 100, 9)
    expect(contention.servers(7)).toBe(7)
    expect(contention.servers(0.2)).toBe(1)
  })

  it('uses the given number if nothing slows down, and is never below one', ({ expect }) => {
    const fast = new Contention()
    for (let i = 0; i < 50; i++) fast.observe(99, 100, 9)
    expect(fast.servers(7)).toBe(7)
    const slow = new Contention()
    for (let i = 0; i < 50; i++) slow.observe(5000, 100, 9)
    expect(slow.servers(7)).toBe(1)
  })

  it('follows a change: twice the servers after some hundred requests', ({ expect }) => {
    const contention = new Contention()
    for (let i = 0; i < 500; i++) contention.observe(400, 100, 9)
    for (let i = 0; i < 300; i++) contention.observe(250, 100, 9)
    expect(Math.abs(contention.servers(1) / 6 - 1)).toBeLessThan(0.01)
  })

  it('learns nothing from requests of unknown size', ({ expect }) => {
    const contention = new Contention()
    for (let i = 0; i < 50; i++) contention.observe(400, 0, 9)
    expect(contention.servers(7)).toBe(7)
  })
})
