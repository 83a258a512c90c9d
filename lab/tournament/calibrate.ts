import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { rateTrace } from '../clients/trace.ts'
import { bestLoad } from '../gate/best-load.ts'
import type { Plant } from '../gate/plant.ts'
import { runPlant } from '../gate/run-plant.ts'
import { pauses } from '../origins/changes.ts'
import { type BestLoads, clairvoyantOf } from './best-load-table.ts'
import { BLACK_FRIDAY } from './black-friday.ts'
import type { Demand } from './class-clairvoyant.ts'
import { api, shop } from './systems.ts'
import {
  BURSTY,
  FLASH_CROWD,
  HEAVY,
  LEAKING,
  MEASURED,
  MEMBERS,
  ORDERS_SURGE,
  THRASHING,
  TIERED,
  TIGHT,
  VALUED,
  VALUED_SURGE,
  WASTEFUL,
} from './variants.ts'

/** Plants in overload, by their capacity, for the search of a clairvoyant's best loads. */
interface Calibration {
  readonly name: string
  readonly plants: readonly (readonly [capacity: number, plant: Plant])[]
  readonly low: number
  readonly high: number
  readonly seconds: number
  readonly measureFromSeconds: number
  /** Only with several classes. */
  readonly demand?: Demand
}

const onShop = (name: string, plants: Calibration['plants'], high = 400): Calibration => ({
  name,
  plants,
  low: 100,
  high,
  seconds: 2400,
  measureFromSeconds: 600,
})

const onApi = (name: string, plants: Calibration['plants'], high = 40): Calibration => ({
  name,
  plants,
  low: 4,
  high,
  seconds: 300,
  measureFromSeconds: 60,
})

const at = (rate: number) => ({ arrivals: poisson(steps({ 0: rate })) })
const PAUSES = pauses({ fromMs: 40_000, toMs: 300_000, everyMs: 30_000, lengthMs: 1000 })

export const CALIBRATIONS: readonly Calibration[] = [
  onShop('shop', [
    [12, shop({ servers: 12, ...at(4) })],
    [20, shop(at(4))],
  ]),
  onShop('shop-tight', [[20, shop({ ...TIGHT, ...at(4) })]]),
  onShop('shop-heavy-tail', [[20, shop({ ...HEAVY, ...at(4) })]]),
  onShop('shop-day', [[20, shop({ ...MEASURED, ...at(3) })]]),
  {
    ...onShop('shop-flash-crowd', [
      [20, shop({ ...MEMBERS, arrivals: poisson(FLASH_CROWD.arrivals) })],
    ]),
    demand: FLASH_CROWD,
    seconds: 1500,
    measureFromSeconds: 300,
  },
  onApi('api-steady', [[8, api(at(300))]]),
  onApi('api-surge-10x', [[8, api(at(1000))]]),
  onApi('api-bursts', [[8, api(BURSTY)]], 60),
  onApi('api-leak', [
    [4, api({ ...LEAKING, changes: [{ atMs: 0, speed: 0.5 }] })],
    [8, api(LEAKING)],
  ]),
  onApi('api-pauses', [[8, api({ ...at(300), changes: PAUSES })]]),
  onApi('api-thrash', [[8, api({ ...THRASHING, ...at(400) })]], 60),
  onApi('api-timeouts', [[8, api({ ...WASTEFUL, ...at(360) })]]),
  {
    ...onApi('api-tiers', [[8, api({ ...TIERED, arrivals: poisson(ORDERS_SURGE.arrivals) })]], 60),
    demand: ORDERS_SURGE,
    seconds: 420,
    measureFromSeconds: 120,
  },
  {
    ...onApi('api-classes', [[8, api({ ...VALUED, arrivals: poisson(VALUED_SURGE.arrivals) })]]),
    demand: VALUED_SURGE,
    seconds: 420,
    measureFromSeconds: 120,
  },
  onApi('black-friday', [
    [8, api({ arrivals: poisson(rateTrace(BLACK_FRIDAY)) })],
    [12, api({ servers: 12, arrivals: poisson(rateTrace(BLACK_FRIDAY)) })],
  ]),
]

const SEEDS = [101, 102, 103, 104] // Seeds that the tournament does not use.
const RESERVES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1]
/**
 * With places kept free for valuable classes, the total may be higher than the best load for one
 * class.
 */
const STRETCHES = [0.9, 1, 1.1, 1.25, 1.5]

/** Searches the best load at each capacity, then how much less valuable classes leave free. */
export function calibrate(calibration: Calibration): BestLoads {
  const { plants, demand, ...rest } = calibration
  const loads = plants.map(
    ([capacity, plant]) => [capacity, bestLoad({ ...rest, plant, seeds: SEEDS })] as const,
  )
  const plain: BestLoads = { loads, reserve: 0 }
  if (demand === undefined) return plain
  const candidates = RESERVES.flatMap((reserve) =>
    STRETCHES.map((stretch) => ({
      loads: loads.map(([capacity, load]) => [capacity, Math.round(load * stretch)] as const),
      reserve,
    })),
  )
  let best = { candidate: plain, worth: 0 }
  for (const candidate of candidates) {
    const worth = worthOf(candidate, calibration)
    if (worth > best.worth) best = { candidate, worth }
  }
  return best.candidate
}

/** Windows that miss the target count as 0, as in `bestLoad`. */
function worthOf(best: BestLoads, { plants, demand, ...rest }: Calibration): number {
  const [, plant] = plants.at(-1)!
  const policy = clairvoyantOf(plant.granularity, best, demand)
  let sum = 0
  for (const seed of SEEDS) {
    const { inSlaValue, windows, windowsMissed } = runPlant({ ...rest, plant, policy, seed })
    sum += inSlaValue * (1 - windowsMissed / Math.max(1, windows))
  }
  return sum
}
