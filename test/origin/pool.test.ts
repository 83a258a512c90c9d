import { describe, it } from 'vitest'
import { Pool } from '../../src/origin/pool.ts'

const poolOf = (...weights: number[]): Pool =>
  new Pool({
    name: 'pool',
    servers: weights.map((weight, i) => ({ url: `https://${i}.example.com/`, weight })),
    timeoutMs: 30_000,
  })

describe('a pool', () => {
  it('picks its servers in proportion to their weights: 1 : 3', ({ expect }) => {
    const pool = poolOf(1, 3)
    const picks = Array.from({ length: 1000 }, (_, i) => pool.pick(i / 1000))
    expect(picks.filter((url) => url === 'https://0.example.com')).toHaveLength(250)
    expect(picks.filter((url) => url === 'https://1.example.com')).toHaveLength(750)
  })

  it('always picks a server, whatever the coin', ({ expect }) => {
    for (const coin of [0, 0.999_999_999, 1]) expect(poolOf(0.1, 0.2).pick(coin)).toMatch(/^https/)
  })

  it('gives addresses without a slash at the end: the request brings its own', ({ expect }) => {
    expect(poolOf(1).pick(0.5)).toBe('https://0.example.com')
  })
})
