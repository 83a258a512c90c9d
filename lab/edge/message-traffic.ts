import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'

/** Takes reports: a relay, or the coordinator. */
export interface ReportTaker {
  report(feedback: Feedback): ReportAnswer | Promise<ReportAnswer>
}

type Kind = 'relay' | 'region' | 'coordinator'

interface ObjectTraffic {
  readonly objects: number
  readonly mostPerSecond: number
  readonly perSecond: number
}

/** Only every so many messages is measured as JSON: that costs more than the message itself. */
const MEASURED_EVERY = 97

/** Counts and measures the messages to each object. */
export class MessageTraffic {
  readonly #now: () => number
  readonly #processorMs: () => number
  /** By kind, object and second. */
  readonly #counts: Record<Kind, Map<string, number[]>> = {
    relay: new Map(),
    region: new Map(),
    coordinator: new Map(),
  }
  #seen = 0
  largestReport = 0
  largestPlan = 0
  /** Processor time of the coordinator for reports and the ticks that they begin. */
  coordinatorMs = 0

  constructor(now: () => number, processorMs: () => number) {
    this.#now = now
    this.#processorMs = processorMs
  }

  /** The same object, with its reports counted. */
  counting(kind: Kind, name: string, taker: ReportTaker): CountedTaker {
    const counts: number[] = []
    this.#counts[kind].set(name, counts)
    return {
      report: async (feedback) => {
        const second = Math.floor(this.#now() / 1000)
        counts[second] = (counts[second] ?? 0) + 1
        const startMs = this.#processorMs()
        const answer = taker.report(feedback)
        if (kind === 'coordinator') this.coordinatorMs += this.#processorMs() - startMs
        const given = await answer
        if (kind !== 'relay' || this.#seen++ % MEASURED_EVERY === 0) this.#measure(feedback, given)
        return given
      },
    }
  }

  /** From the second `fromS` on: all objects of a kind, the most that one of them got in a second, and the mean. */
  of(kind: Kind, fromS: number, untilS: number): ObjectTraffic {
    const all = [...this.#counts[kind].values()].map((counts) =>
      Array.from({ length: untilS - fromS }, (_, i) => counts[fromS + i] ?? 0),
    )
    const sum = all.flat().reduce((total, count) => total + count, 0)
    return {
      objects: all.length,
      mostPerSecond: Math.max(...all.flat()),
      perSecond: sum / all.length / (untilS - fromS),
    }
  }

  #measure(feedback: Feedback, { plan }: ReportAnswer): void {
    this.largestReport = Math.max(this.largestReport, JSON.stringify(feedback).length)
    this.largestPlan = Math.max(this.largestPlan, JSON.stringify(plan).length)
  }
}

/** A report to it is answered later. */
export interface CountedTaker extends ReportTaker {
  report(feedback: Feedback): Promise<ReportAnswer>
}
