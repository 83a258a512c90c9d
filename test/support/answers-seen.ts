import type { Distribution } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { AnswerWindows } from '../../src/coordinator/answer-windows.ts'
import {
  type ClassTimes,
  classTimeCosts,
  classTimesAfter,
} from '../../src/coordinator/class-times.ts'
import type { ClassFeedback, Setup } from '../../src/protocol/feedback.ts'
import { mergeRoutes, type RoutesFeedback } from '../../src/protocol/merge-reports.ts'
import { CLASS, type Counts, feedbackOf, setupOf } from './feedback.ts'
import { histogramOf } from './histogram.ts'

export interface SeenClass {
  readonly name: string
  readonly service: Distribution
  /** Of all answers; by sender, if senders differ. */
  readonly part: number | ((sender: number) => number)
  /** What isolates report that each answer costs beyond 1. @default 0 */
  readonly extra?: number
}

export interface Seconds {
  readonly classes: readonly SeenClass[]
  readonly seconds: number
  /** @default 1 */
  readonly senders?: number
  /** Of all senders. @default 100 */
  readonly perSecond?: number
  /** The queue in which all wait. @default none */
  readonly waitMs?: (second: number) => number
  /** From the sender to the origin and back. @default 0 */
  readonly wayMs?: (sender: number) => number
  readonly seed?: number
}

/** A coordinator that learns what the classes of one route cost, from the reports of many senders. */
export class SeenAnswers {
  readonly setup: Setup
  readonly #windows = new AnswerWindows()
  #times: ClassTimes = {}
  #seq = 0

  constructor(names: readonly string[]) {
    const classes = names.map((name) => ({ ...CLASS, name }))
    this.setup = setupOf({ routes: { shop: { classes, granularity: 'request' } } })
  }

  get times(): ClassTimes {
    return this.#times
  }

  /** By name; null: not known. */
  get costs(): readonly (number | null)[] {
    const costs = classTimeCosts(this.#times)
    return this.setup.routes[0]!.classes.map(({ name }) => costs.get(`shop/${name}`) ?? null)
  }

  /** As after a restart: what is stored is kept, and the answers of windows that have not ended are lost. */
  restart(): void {
    this.#times = JSON.parse(JSON.stringify(this.#times))
  }

  see({ classes, seconds, senders = 1, perSecond = 100, seed = 1, ...given }: Seconds): void {
    const { waitMs = () => 0, wayMs = () => 0 } = given
    const random = streams(seed)('answers')
    for (let second = 0; second < seconds; second++) {
      const seen = new Map<number, Map<SeenClass, number[]>>()
      const arrivals = Math.floor(perSecond) + (random.next() < perSecond % 1 ? 1 : 0)
      for (let i = 0; i < arrivals; i++) {
        const sender = Math.floor(random.next() * senders)
        const klass = drawn(classes, sender, random.next())
        const ms = waitMs(second) + wayMs(sender) + klass.service.draw(random)
        const ofSender = seen.get(sender) ?? new Map<SeenClass, number[]>()
        seen.set(sender, ofSender)
        ofSender.set(klass, [...(ofSender.get(klass) ?? []), ms])
      }
      this.#tick([...seen])
    }
  }

  #tick(seen: readonly [number, ReadonlyMap<SeenClass, number[]>][]): void {
    const toMs = 1000 * ++this.#seq
    let routes: RoutesFeedback = {}
    for (const [sender, classes] of seen) {
      const counts: Counts = {
        shop: Object.fromEntries(
          [...classes].map(([klass, ms]) => [klass.name, counted(klass, ms)]),
        ),
      }
      const feedback = feedbackOf(counts, { sender: `sender ${sender}`, seq: this.#seq, toMs })
      this.#windows.add(feedback, toMs)
      routes = mergeRoutes(routes, feedback.routes)
    }
    const windows = this.#windows.take(toMs)
    this.#times = classTimesAfter(this.#times, this.setup, routes, windows, 1000)
  }
}

function drawn(classes: readonly SeenClass[], sender: number, random: number): SeenClass {
  let left = random
  for (const klass of classes) {
    left -= typeof klass.part === 'number' ? klass.part : klass.part(sender)
    if (left < 0) return klass
  }
  return classes.at(-1)!
}

function counted({ extra = 0 }: SeenClass, samplesMs: readonly number[]): Partial<ClassFeedback> {
  const answers = samplesMs.length
  return {
    ...{ requests: answers, served: answers, latency: histogramOf(samplesMs) },
    latencyUs: Math.round(1000 * samplesMs.reduce((sum, ms) => sum + ms, 0)),
    ...(extra === 0 ? {} : { extraCost: Math.round(1000 * answers * extra) }),
  }
}
