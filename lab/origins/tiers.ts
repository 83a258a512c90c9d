import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { type Outcome, SERVED } from '../engine/requests.ts'
import type { CapacityChange, Origin, OriginFactory, OriginListener, World } from './origin.ts'

/**
 * A station on a request's way and the work that it does there; absent: the request's own demand.
 */
interface Stop {
  readonly station: string
  readonly demand?: Distribution
}

interface TiersOptions {
  readonly stations: Readonly<Record<string, OriginFactory>>
  /**
   * By tier of the request: the stations that it passes, in this order. Ways may share stations.
   */
  readonly ways: readonly (readonly Stop[])[]
}

/** Maximum number of stops on one way. It numbers the random streams of their demands. */
const MOST_STOPS = 8

/** Several stations, which a request passes one after another. */
class Tiers implements Origin, OriginListener {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #stations: ReadonlyMap<string, Origin>
  readonly #ways: readonly (readonly Stop[])[]
  readonly #demands: Random

  constructor(world: World, listener: OriginListener, { stations, ways }: TiersOptions) {
    this.#world = world
    this.#listener = listener
    this.#ways = ways
    this.#demands = world.random('stops')
    this.#stations = new Map(
      Object.entries(stations).map(([name, create]) => [name, create(world, this)]),
    )
    for (const { station } of ways.flat()) {
      if (!this.#stations.has(station)) throw new RangeError(`there is no station "${station}"`)
    }
  }

  /** Capacity of the last station on the longest way: the bottleneck in the papers. */
  get capacity(): number {
    const longest = this.#ways.reduce((a, b) => (b.length > a.length ? b : a))
    return this.#stations.get(longest.at(-1)!.station)!.capacity
  }

  submit(id: number): void {
    this.#enter(id)
  }

  abandon(id: number): void {
    this.#stationOf(id).abandon(id)
  }

  change(change: CapacityChange): void {
    const { station } = change
    const [first] = this.#stations.values()
    const changed = station === undefined ? first : this.#stations.get(station)
    if (changed === undefined) throw new RangeError(`there is no station "${station}"`)
    changed.change(change)
  }

  finished(id: number, outcome: Outcome): void {
    const { requests } = this.#world
    const way = this.#ways[requests.tier[id]!]!
    const isLast = requests.stop[id] === way.length - 1
    if (outcome !== SERVED || isLast || requests.abandoned[id] === 1) {
      this.#listener.finished(id, outcome)
      return
    }
    requests.stop[id]!++
    this.#enter(id)
  }

  #enter(id: number): void {
    const { requests } = this.#world
    const stop = requests.stop[id]!
    const { demand } = this.#ways[requests.tier[id]!]![stop]!
    const stream = Math.imul(requests.luck[id]!, MOST_STOPS) + stop
    requests.demandMs[id] = demand?.draw(this.#demands.fork(stream)) ?? requests.ownMs[id]!
    this.#stationOf(id).submit(id)
  }

  #stationOf(id: number): Origin {
    const { requests } = this.#world
    return this.#stations.get(this.#ways[requests.tier[id]!]![requests.stop[id]!]!.station)!
  }
}

export function tiers(options: TiersOptions): OriginFactory {
  return (world, listener) => new Tiers(world, listener, options)
}
