import { describe, it } from 'vitest'
import { type PolicerKind, PolicerSwitch } from '../../../src/admission/batch/policer-switch.ts'

/** Evenly spaced requests at a rate for some seconds; answers the last word of each second. */
function drive(police: PolicerSwitch, rate: number, fromS: number, toS: number): PolicerKind[] {
  const words: PolicerKind[] = []
  for (let second = fromS; second < toS; second++) {
    let word: PolicerKind = 'batch'
    for (let i = 0; i < rate; i++) word = police.arrive(second * 1000 + (i * 1000) / rate)
    words.push(word)
  }
  return words
}

describe('batch or threshold (Cataclysm §3.3)', () => {
  it('stays with batches at 100 requests/s where 100 are the most', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 0)
    expect(new Set(drive(police, 100, 0, 30))).toEqual(new Set(['batch']))
  })

  it('goes over to thresholds within the second in which the rate is passed', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 0)
    expect(drive(police, 200, 0, 1)).toEqual(['threshold'])
  })

  it('comes back after ten calm seconds', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 0)
    drive(police, 200, 0, 5)
    const words = drive(police, 50, 5, 20)
    expect(words.slice(0, 9)).toEqual(new Array(9).fill('threshold'))
    expect(words.slice(11)).toEqual(new Array(4).fill('batch'))
  })

  it('does not come back while the rate is just below the most: 90 is no calm', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 0)
    drive(police, 200, 0, 1)
    expect(new Set(drive(police, 90, 1, 60))).toEqual(new Set(['threshold']))
  })

  it('starts the calm spell anew with every burst', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 0)
    drive(police, 200, 0, 1)
    drive(police, 50, 1, 9)
    drive(police, 200, 9, 10)
    expect(new Set(drive(police, 50, 10, 18))).toEqual(new Set(['threshold']))
  })

  it('comes back after a clock was set back by an hour', ({ expect }) => {
    const police = new PolicerSwitch({ mostPerSecond: 100 }, 4_000_000)
    drive(police, 200, 4000, 4001)
    expect(drive(police, 50, 400, 412).at(-1)).toBe('batch')
  })
})
