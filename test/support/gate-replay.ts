import { Coordinator } from '../../lab/edge/coordinator.ts'
import { Timers } from '../../lab/edge/timers.ts'
import { streams } from '../../lab/engine/random.ts'
import { OVERLOAD } from '../../lab/experiments/cataclysm-overload.ts'
import {
  CLASSES,
  type Policer,
  runSiteAsync,
  SERVER_RATE,
  SERVERS,
  type Site,
  type SiteLog,
  type SiteRequest,
  TARGET_MS,
} from '../../lab/experiments/cataclysm-site.ts'
import { loadConfig } from '../../src/config/load.ts'
import { Gate } from '../../src/gate/gate.ts'
import type { Visit } from '../../src/gate/visit.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import { background } from './fakes.ts'

export interface GateReplayOptions {
  readonly police: 'threshold' | 'batch' | 'auto'
  readonly serviceMs: number
  readonly seed: number
  /** Capacity that the learner assumes. @default the true one, 180/s */
  readonly limit?: number
  /** @default 1 */
  readonly isolates?: number
}

/** The lab's site of Urgaonkar and Shenoy 2005, §6.2, policed by whole gates and a coordinator. */
export function replayAtGate(options: GateReplayOptions): Promise<SiteLog> {
  const { serviceMs, seed } = options
  return runSiteAsync({ ...OVERLOAD, serviceMs, seed, policer: gatePolicer(options) })
}

function gatePolicer(options: GateReplayOptions): (site: Site) => Policer {
  const { police, seed, limit = SERVERS * SERVER_RATE, isolates = 1 } = options
  return (site) => {
    const random = streams(seed)
    const timers = new Timers(site.agenda)
    const coordinator = new Coordinator(timers)
    const gates = Array.from({ length: isolates }, (_, i) => {
      const coins = random(`coins of ${i}`)
      return new Gate(configOf(police, limit), {
        secrets: { current: 'a secret of the tests, long enough to be one', previous: null },
        portFor: () => ({ report: async (feedback) => coordinator.report(feedback) }),
        cache: null,
        runtime: {
          now: () => timers.nowMs,
          coin: () => coins.next(),
          id: () => '',
          sleep: (ms) => timers.sleep(ms),
        },
        sender: `isolate ${i}`,
        ipOf: () => null,
      })
    })
    const places = random('places')
    const inOrigin = new Map<SiteRequest, Visit>()

    const serve = (visit: Visit, request: SiteRequest): void => {
      if (visit.isRefused) return
      visit.begin(timers.nowMs)
      inOrigin.set(request, visit)
      site.admit(request)
    }

    return {
      tests: 0,
      arrive(request, nowMs) {
        const { gate, view } = gates[Math.floor(places.next() * isolates)]!.enter(
          new Request(`https://shop.example.com/${CLASSES[request.rank]}`),
        )!
        gate.reporter.touch(background, nowMs)
        const decided = gate.decide(view, nowMs)
        if (decided instanceof Promise) {
          void decided.then((visit) => serve(visit, request))
          site.agenda.interrupt()
        } else serve(decided, request)
      },
      answered(request, nowMs) {
        inOrigin.get(request)!.answered(ANSWER, nowMs)
        inOrigin.delete(request)
      },
      wake() {},
    }
  }
}

const ANSWER = new Response(null)

function configOf(police: string, limit: number) {
  return loadConfig(
    {
      routes: [
        {
          name: 'site',
          match: '/*',
          origin: 'https://origin.example.com',
          granularity: 'request',
          sla: { targetMs: TARGET_MS },
          learner: { name: 'fixed', limit },
          classes: CLASSES.map((name, rank) => ({
            ...{ name, value: CLASSES.length - rank, match: { path: `/${name}` } },
          })),
          police,
        },
      ],
    },
    { origin: 'required', learners: LEARNER_OPTIONS },
  )
}
