import { describe, it } from 'vitest'
import { type AttackedRun, type AttackedSite, attackedSite } from '../support/attacked-site.ts'

const FROM_S = 80
const TO_S = 140

/** The mean limit of one crowd differs by some per cent from that of another, so the mean over these is judged. */
const SEEDS = [1, 2, 3]
const calm = new Map<number, Promise<AttackedSite>>()

/** Pages in time, and the limit, as parts of what the same crowds get in the same time without the attack. */
async function attacked(run: Pick<AttackedRun, 'attack' | 'perSecond' | 'burst' | 'inOwnClass'>) {
  let [kept, moved] = [0, 0]
  for (const seed of SEEDS) {
    const times = { fromS: FROM_S, toS: TO_S, seed }
    const without = calm.get(seed) ?? attackedSite({ ...times, attack: 'none', perSecond: 1 })
    calm.set(seed, without)
    const usual = (await without).between(FROM_S, TO_S)
    const got = (await attackedSite({ ...times, ...run })).between(FROM_S, TO_S)
    kept += got.inTime / usual.inTime / SEEDS.length
    moved += got.limit / usual.limit / SEEDS.length
  }
  return { kept, moved }
}

describe('attacks on the learner', () => {
  it.for([
    ['light', undefined],
    ['light', [10, 40]],
    ['instant', undefined],
    ['instant', [5, 12]],
  ] as const)(
    '300/s of light answers (%s, bursts %s) over 30 sessions move the limit by at most 10 %',
    async ([attack, burst], { expect }) => {
      const { kept, moved } = await attacked({
        attack,
        perSecond: 300,
        ...(burst ? { burst } : {}),
      })
      expect(kept).toBeGreaterThan(0.9)
      expect(Math.abs(moved - 1)).toBeLessThan(0.1)
    },
  )

  it('300/s of light answers in a class of their own, of the highest value, move the limit by at most 10 %', async ({
    expect,
  }) => {
    const { kept, moved } = await attacked({ attack: 'light', perSecond: 300, inOwnClass: true })
    expect(kept).toBeGreaterThan(0.9)
    expect(Math.abs(moved - 1)).toBeLessThan(0.1)
  })

  it('20/s of clients that leave at once move the limit by at most 10 %', async ({ expect }) => {
    const { kept, moved } = await attacked({ attack: 'leave', perSecond: 20 })
    expect(kept).toBeGreaterThan(0.9)
    expect(Math.abs(moved - 1)).toBeLessThan(0.1)
  })

  it('20/s of clients that cut their body move the limit by at most 10 %', async ({ expect }) => {
    const { kept, moved } = await attacked({ attack: 'cut', perSecond: 20 })
    expect(kept).toBeGreaterThan(0.9)
    expect(Math.abs(moved - 1)).toBeLessThan(0.1)
  })

  it('60 pages/s with one session cookie leave the visitors 0.9 of their pages', async ({
    expect,
  }) => {
    const { kept } = await attacked({ attack: 'one-cookie', perSecond: 60 })
    expect(kept).toBeGreaterThan(0.9)
  })
})
