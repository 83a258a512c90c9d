import { describe, it } from 'vitest'
import { PageCounts } from '../../../tools/flood/page-counts.ts'
import { pictureOf } from '../../../tools/flood/picture.ts'
import { reportOf } from '../../../tools/flood/report.ts'

const facts = {
  target: 'http://127.0.0.1:1',
  capacityPerSecond: 4,
  slaMs: 1000,
  surge: 10,
  seconds: 10,
  elapsedMs: 10_000,
  cpuMs: 0,
  lags: [],
  failures: {},
}

describe('the picture of a flood', () => {
  it('draws each run per second: two pages in second 3 are half as high as a capacity of 4', ({
    expect,
  }) => {
    const counts = new PageCounts(1000, () => 3500)
    counts.serve('surge', 'home', 10)
    counts.serve('surge', 'home', 10)
    counts.serve('surge', 'home', 5000)
    const run = reportOf({ ...facts, name: 'gate' }, counts)
    expect(run.inSlaBySecond).toEqual([0, 0, 0, 2])
    const svg = pictureOf([run], 10)
    // 900 wide with 64 and 24 of margin: second 3 is at 64 + 0.35 × 812 = 348.2.
    // 380 high with 76 and 52 of margin: 2 of 4.4 is at 328 − 252 / 2.2 = 213.5.
    expect(svg).toContain('348.2,213.5')
  })

  it('gives the share of each run', ({ expect }) => {
    const direct = reportOf({ ...facts, name: 'direct' }, new PageCounts(1000, () => 0))
    const gate = reportOf({ ...facts, name: 'gate' }, new PageCounts(1000, () => 0))
    const svg = pictureOf([direct, gate], 10)
    expect(svg).toContain('straight to the origin: 0.00 of the capacity')
    expect(svg).toContain('through Tidegate: 0.00 of the capacity')
  })
})
