import { poisson } from '../../lab/clients/arrivals.ts'
import { constantRate } from '../../lab/clients/rates.ts'
import { singleRequests } from '../../lab/clients/single-requests.ts'
import { exponential } from '../../lab/engine/distributions.ts'
import type { Plant } from '../../lab/gate/plant.ts'
import { station } from '../../lab/origins/station.ts'

/** Eight servers with 40 ms of service each: 200 requests/s. `load` is in units of that. */
export function requestPlant(load: number): Plant {
  return {
    granularity: 'request',
    sla: { percentile: 95, targetMs: 200, windowMs: 60_000 },
    origin: station({ servers: 8 }),
    clients: singleRequests({
      arrivals: poisson(constantRate(200 * load)),
      demand: exponential({ mean: 40 }),
    }),
  }
}
