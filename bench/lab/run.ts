import { poisson } from '../../lab/clients/arrivals.ts'
import { constantRate } from '../../lab/clients/rates.ts'
import { plantR } from '../../lab/gate/plants.ts'
import { letAllIn } from '../../lab/gate/policy.ts'
import { runPlant } from '../../lab/gate/run-plant.ts'
import { cpuMs } from '../runtime/process.ts'

export interface LabFigures {
  /** Simulated requests. */
  readonly requests: number
  /** Processor time for a million of them. */
  readonly secondsPerMillion: number
}

const PER_SECOND = 180
const SECONDS = 5600

/** The speed of the lab's engine: a million requests to a queue of eight servers at nine tenths of its capacity. */
export function runLab(say: (text: string) => void): LabFigures {
  say('lab: a million requests')
  const plant = plantR({ servers: 8, arrivals: poisson(constantRate(PER_SECOND)) })
  const before = cpuMs([process.pid])
  const { served } = runPlant({ plant, seed: 1, seconds: SECONDS, policy: letAllIn })
  const spentS = (cpuMs([process.pid]) - before) / 1000
  return { requests: served, secondsPerMillion: (spentS * 1e6) / served }
}
