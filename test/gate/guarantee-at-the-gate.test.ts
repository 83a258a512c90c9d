import { describe, it } from 'vitest'
import { exponential } from '../../lab/engine/distributions.ts'
import { type Random, streams } from '../../lab/engine/random.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { Gate } from '../../src/gate/gate.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'
import { background, coordinatorPort, FakeRuntime, START_MS } from '../support/fakes.ts'
import { routesOf, SECRET } from '../support/requests.ts'

const ISOLATES = 100
const WARM_UP_S = 20
const MEASURED_S = 60
/** Half of the isolates end within the measured minute, and new ones replace them. */
const DEATHS_PER_SECOND = 1 / 120
const GUARANTEED = 10
const SEEDS = Array.from({ length: 10 }, (_, i) => i + 1)

/** The limit equals the guarantee, so every admission is under the guarantee. */
const ROUTES = routesOf({
  granularity: 'request',
  fairness: false,
  learner: { name: 'fixed', limit: 1 },
  classes: [{ name: 'vip', guaranteed: GUARANTEED }],
})

/** Admissions per second under the guarantee, with Poisson arrivals at isolates by Zipf's law. */
async function minuteOf(seed: number, arrivals: number): Promise<number> {
  const random = streams(seed)
  const [times, where, deaths] = [random('arrivals'), random('isolates'), random('deaths')]
  const clock = new FakeRuntime()
  const core = new CoordinatorCore()
  const port = coordinatorPort(clock, core)
  let births = 0
  const birth = (): Isolate => new Isolate(births++, random('coins'), clock, port, core)
  const isolates = Array.from({ length: ISOLATES }, birth)
  const pick = zipf(ISOLATES)
  const between = exponential({ mean: 1000 / arrivals })
  let guaranteed = 0
  for (let second = 0, nowMs = 0; second < WARM_UP_S + MEASURED_S; second++) {
    for (nowMs += between.draw(times); nowMs < (second + 1) * 1000; nowMs += between.draw(times)) {
      await clock.advanceTo(START_MS + nowMs)
      // A draw without a fresh plan waits for one while others arrive.
      void isolates[pick(where)]!.ask().then((reason) => {
        if (reason === 'guaranteed' && second >= WARM_UP_S) guaranteed++
      })
    }
    nowMs = (second + 1) * 1000
    await clock.advanceTo(START_MS + nowMs)
    for (let i = 0; i < ISOLATES; i++) {
      if (deaths.next() >= DEATHS_PER_SECOND) continue
      isolates[i]!.die()
      isolates[i] = birth()
    }
  }
  return guaranteed / MEASURED_S
}

class Isolate {
  readonly #gate: Gate
  #isAlive = true

  constructor(
    number: number,
    coins: Random,
    clock: FakeRuntime,
    port: CoordinatorPort,
    core: CoordinatorCore,
  ) {
    const own = coins.fork(number)
    this.#gate = new Gate(
      { routes: ROUTES },
      {
        secrets: { current: SECRET, previous: null },
        // The unreported counts of an ended isolate are lost.
        portFor: () => ({
          report: (feedback) => (this.#isAlive ? port.report(feedback) : new Promise(() => {})),
        }),
        cache: {
          read: async () => (core.plan === null ? null : { plan: core.plan, fairPart: 0.01 }),
          offer: async () => {},
        },
        runtime: {
          now: clock.now,
          coin: () => own.next(),
          id: () => '',
          sleep: clock.sleep,
        },
        sender: `isolate ${number}`,
        ipOf: () => null,
      },
    )
  }

  die(): void {
    this.#isAlive = false
  }

  async ask(): Promise<string> {
    const { gate, view } = this.#gate.enter(new Request('https://shop.example.com/'))!
    gate.reporter.touch(background, gate.runtime.now())
    return (await gate.decide(view, gate.runtime.now())).verdict.reason
  }
}

/** The k-th of n is k times less likely than the first. */
function zipf(n: number): (random: Random) => number {
  const upTo: number[] = []
  for (let k = 1; k <= n; k++) upTo.push((upTo.at(-1) ?? 0) + 1 / k)
  return (random) => {
    const at = random.next() * upTo.at(-1)!
    return upTo.findIndex((end) => at < end)
  }
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, n) => sum + n, 0) / numbers.length

describe('a guarantee of 10/s over 100 isolates, through gate, reporter and coordinator', () => {
  for (const arrivals of [12, 40])
    it(`is kept at ${arrivals}/s, within 5 % over 60 s, although half of the isolates end`, async ({
      expect,
    }) => {
      const rates: number[] = []
      for (const seed of SEEDS) rates.push(await minuteOf(seed, arrivals))
      expect(rates.filter((rate) => Math.abs(rate / GUARANTEED - 1) > 0.05)).toEqual([])
      expect(Math.abs(mean(rates) / GUARANTEED - 1)).toBeLessThan(0.02)
    }, 60_000)
})
