import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import type { Plant } from './plant.ts'
import {
  clairvoyantR,
  clairvoyantRCrowded,
  clairvoyantS,
  type PlantOptions,
  plantR,
  plantS,
} from './plants.ts'
import type { PolicyFactory } from './policy.ts'

/** A plant and what happens to it; judged from `measureFromSeconds` on. */
export interface Scenario {
  readonly name: string
  readonly plant: Plant
  readonly clairvoyant: PolicyFactory
  readonly seconds: number
  readonly measureFromSeconds: number
}

/** By the second from which they hold. */
interface Course {
  readonly rates: Readonly<Record<number, number>>
  readonly servers?: Readonly<Record<number, number>>
}

function optionsOf({ rates, servers = {} }: Course): PlantOptions {
  return {
    arrivals: poisson(steps(rates)),
    changes: Object.entries(servers).map(([s, count]) => ({
      atMs: Number(s) * 1000,
      servers: count,
    })),
  }
}

function onS(name: string, measureFromSeconds: number, seconds: number, course: Course): Scenario {
  const plant = plantS(optionsOf(course))
  return { name, plant, clairvoyant: clairvoyantS, seconds, measureFromSeconds }
}

function onR(name: string, measureFromSeconds: number, seconds: number, course: Course): Scenario {
  const plant = plantR(optionsOf(course))
  return { name, plant, clairvoyant: clairvoyantR, seconds, measureFromSeconds }
}

/**
 * The first trials of a learner. Plant S takes 2 sessions a second, plant R 200 requests a second.
 * "Untrained" has never seen overload before the surge; "trained" has, and has come to rest again.
 */
export const SCENARIOS: readonly Scenario[] = [
  onS('s-steady', 600, 6000, { rates: { 0: 4 } }),
  onS('s-calm', 600, 3000, { rates: { 0: 1.5 } }),
  onS('s-cold', 0, 1500, { rates: { 0: 10 } }),
  onS('s-untrained-3x', 600, 1800, { rates: { 0: 1.5, 600: 4.5 } }),
  onS('s-untrained-10x', 600, 1800, { rates: { 0: 1.5, 600: 15 } }),
  onS('s-trained-3x', 2400, 3600, { rates: { 0: 4, 1500: 1.5, 2400: 4.5 } }),
  onS('s-trained-10x', 2400, 3600, { rates: { 0: 4, 1500: 1.5, 2400: 15 } }),
  onS('s-loss', 1500, 3000, { rates: { 0: 4 }, servers: { 1500: 12 } }),
  onS('s-return', 3000, 4500, { rates: { 0: 4 }, servers: { 1500: 12, 3000: 20 } }),
  onR('r-steady', 60, 660, { rates: { 0: 300 } }),
  onR('r-calm', 60, 360, { rates: { 0: 100 } }),
  onR('r-untrained-3x', 120, 420, { rates: { 0: 100, 120: 300 } }),
  {
    ...onR('r-untrained-10x', 120, 420, { rates: { 0: 100, 120: 1000 } }),
    clairvoyant: clairvoyantRCrowded,
  },
  onR('r-loss', 300, 600, { rates: { 0: 300 }, servers: { 300: 5 } }),
  onR('r-back', 600, 900, { rates: { 0: 300 }, servers: { 300: 5, 600: 8 } }),
]
