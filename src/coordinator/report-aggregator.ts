import {
  hasCommands,
  mergeCommands,
  NO_COMMANDS,
  type OriginCommands,
} from '../protocol/commands.ts'
import type { Feedback } from '../protocol/feedback.ts'
import {
  levelsOnly,
  mergeRoutes,
  mergeServers,
  mergeTiers,
  type RoutesFeedback,
  type ServersFeedback,
  type TiersFeedback,
  withoutLevels,
} from '../protocol/merge-reports.ts'
import { SHARED } from '../protocol/plan-limits.ts'
import { type DrawRates, NEWBORN_MS } from './draw-rates.ts'
import { OriginDraws } from './origin-draws.ts'
import { countsOf, smoothedRate } from './sender-rate.ts'

/** A sender without a report for this long is forgotten, together with its requests in flight. */
export const FORGET_AFTER_MS = 30_000

/**
 * Senders report at least once a second, less often in calm, and at once after a silence. A regular sender is expected if it
 * reported within this time, or within so many times what its last report covered. A report that covers more than this
 * time, with next to nothing in it, ends a silence: its counts and those of the report after it stand for the time by
 * the clock.
 */
const EXPECTED_WITHIN_MS = 1500
const EXPECTED_WITHIN = 1.5
const NEXT_TO_NOTHING = 3
/** A busy sender whose report was held up covers at most this. */
const LONGEST_MS = 12_000

/** So that senders without any activity still have a weight. */
const LEAST_ACTIVITY = 0.01

interface Sender {
  readonly seq: number
  readonly reportedAtMs: number
  /** Has it had no time to draw yet? */
  readonly isNewborn: boolean
  /** Draws and requests per second: its weight in the time that counts stand for. */
  readonly activity: number
  /** Does it report at least second by second? */
  readonly isRegular: boolean
  /** After this time without a report it is not expected any more. */
  readonly expectedMs: number
  /** Did its last report cover a silence? */
  readonly wasSilent: boolean
  /** Time that its reports covered since the last drain. */
  coveredMs: number
  /** How many isolates it speaks for, and how many relays; null: it is an isolate, or the relay of a data centre. */
  readonly isolates: number | null
  readonly relays: number | null
  /** Its newest levels (requests in flight), and nothing else. */
  readonly levels: RoutesFeedback
}

/** A sender and its part of all draws, whatever their limits are. */
export interface SenderShare {
  readonly sender: string
  readonly share: number
  /** Draws per second. */
  readonly rate: number
  readonly reportedAtMs: number
}

export interface AggregatedReports {
  readonly routes: RoutesFeedback
  readonly servers: ServersFeedback
  readonly commands: OriginCommands
  readonly tiers: TiersFeedback
  /**
   * The time that the counts stand for. A drain may find two reports of a sender or none, so this is the time that
   * the reports cover, weighted by each sender's activity. What quiet senders count stands for the time by the clock.
   */
  readonly lengthMs: number
  /** When the plans were issued by which the draws were decided: the mean over draws; null: not known. */
  readonly planIssuedAtMs: number | null
}

/** Adds up the reports of several senders between two drains. The relay and the coordinator both use it. */
export class ReportAggregator {
  readonly #senders = new Map<string, Sender>()
  readonly draws = new OriginDraws()
  #routes: RoutesFeedback = {}
  #servers: ServersFeedback = {}
  #commands = NO_COMMANDS
  #tiers: TiersFeedback = {}
  /** Reports since the last drain, and what senders counted that do not report second by second. */
  #reports = 0
  #quietCount = 0
  #drainedAtMs: number | null = null
  #decidedDraws = 0
  #decidedAtMs = 0

  /** False: the report is a repeated one and was dropped. `onTaken` gets each report that was not. */
  add(feedback: Feedback, nowMs: number, onTaken?: (feedback: Feedback) => void): boolean {
    if (feedback.again) this.add(feedback.again, nowMs, onTaken)
    const known = this.#senders.get(feedback.sender)
    if (known && feedback.seq <= known.seq) return false
    const lengthMs = feedback.toMs - feedback.fromMs
    this.#routes = mergeRoutes(this.#routes, withoutLevels(feedback.routes))
    if (feedback.servers) this.#servers = mergeServers(this.#servers, feedback.servers)
    if (feedback.commands) this.#commands = mergeCommands(this.#commands, feedback.commands)
    if (feedback.tiers) this.#tiers = mergeTiers(this.#tiers, feedback.tiers)
    this.#drainedAtMs ??= nowMs - Math.min(lengthMs, EXPECTED_WITHIN_MS)
    this.#reports++
    const counts = countsOf(feedback, this.draws)
    const { drawn, all } = counts
    const wasSilent = lengthMs > EXPECTED_WITHIN_MS && all < NEXT_TO_NOTHING
    const coveredMs = Math.min(lengthMs, LONGEST_MS)
    const isRegular = !wasSilent && !known?.wasSilent
    if (!isRegular) this.#quietCount += all
    this.#addDecided(feedback.planIssuedAtMs, drawn)
    const expectedMs =
      coveredMs > EXPECTED_WITHIN_MS ? EXPECTED_WITHIN * coveredMs : EXPECTED_WITHIN_MS
    this.draws.add(feedback, counts, expectedMs, nowMs)
    const before = known === undefined || known.isNewborn ? null : known.activity
    this.#senders.set(feedback.sender, {
      seq: feedback.seq,
      reportedAtMs: nowMs,
      isNewborn: (known?.isNewborn ?? true) && drawn === 0 && lengthMs < NEWBORN_MS,
      activity: smoothedRate(before, all, lengthMs),
      isRegular,
      wasSilent,
      expectedMs,
      coveredMs: (known?.coveredMs ?? 0) + coveredMs,
      isolates: feedback.isolates ?? null,
      relays: feedback.relays ?? null,
      levels: levelsOnly(feedback.routes),
    })
    onTaken?.(feedback)
    return true
  }

  isKnown(sender: string): boolean {
    return this.#senders.has(sender)
  }

  /** The part of the draws under the shared limit that this sender makes. */
  shareOf(sender: string, nowMs: number): number {
    return this.draws.of(SHARED).shareOf(sender, nowMs)
  }

  /** Senders that report here, and are not forgotten. */
  get senders(): number {
    return this.#senders.size
  }

  /** Isolates behind all senders. */
  get isolates(): number {
    let sum = 0
    for (const { isolates } of this.#senders.values()) sum += isolates ?? 1
    return sum
  }

  /** Relays of data centres among the senders and behind them. */
  get relays(): number {
    let sum = 0
    for (const { isolates, relays } of this.#senders.values())
      sum += relays ?? (isolates === null ? 0 : 1)
    return sum
  }

  /** The parts of all relays, by the name of the limit. */
  relayParts(nowMs: number): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const names = this.relayNames
    const partsIn = (rates: DrawRates) =>
      new Map(names.map((name) => [name, rates.shareOf(name, nowMs)]))
    return new Map(this.draws.limits.map((limit) => [limit, partsIn(this.draws.of(limit))]))
  }

  get relayNames(): readonly string[] {
    return [...this.#senders].flatMap(([name, { isolates }]) => (isolates === null ? [] : [name]))
  }

  get hasCommands(): boolean {
    return hasCommands(this.#commands)
  }

  /** The commands since the last drain. */
  takeCommands(): OriginCommands {
    const commands = this.#commands
    this.#commands = NO_COMMANDS
    return commands
  }

  /** Commands that could not be passed on. They go with the next report. */
  keep(commands: OriginCommands): void {
    this.#commands = mergeCommands(this.#commands, commands)
  }

  /** All senders, with the largest share first. */
  shares(nowMs: number): readonly SenderShare[] {
    const { draws } = this
    return [...this.#senders]
      .map(([sender, { reportedAtMs }]) => ({
        ...{ sender, reportedAtMs, rate: draws.rateOf(sender) },
        share: draws.shareOfAll(sender, nowMs),
      }))
      .sort((a, b) => b.share - a.share)
  }

  /** The `lengthMs` that `drain` would return. */
  lengthMs(nowMs: number): number {
    if (this.#reports === 0) return 0
    const wallMs = Math.min(EXPECTED_WITHIN_MS, Math.max(1, nowMs - (this.#drainedAtMs ?? nowMs)))
    let activity = 0
    let covered = 0
    let expected = 0
    for (const sender of this.#senders.values()) {
      if (!sender.isRegular || nowMs - sender.reportedAtMs >= sender.expectedMs) continue
      const weight = sender.activity + LEAST_ACTIVITY
      activity += weight
      covered += weight * sender.coveredMs
      expected++
    }
    if (expected === 0) return wallMs
    const quietPerMs = this.#quietCount / wallMs
    const lengthMs = (covered + this.#quietCount * 1000) / (activity + quietPerMs * 1000)
    // Without the noise of sums, so that equal reports give an exact time.
    return Math.round(lengthMs * 1000) / 1000
  }

  /** All counts since the last drain, and the newest levels of all senders. */
  drain(nowMs: number): AggregatedReports {
    const lengthMs = this.lengthMs(nowMs)
    let routes = this.#routes
    for (const [id, sender] of this.#senders) {
      if (nowMs - sender.reportedAtMs > FORGET_AFTER_MS) {
        this.#senders.delete(id)
        this.draws.forget(id)
      } else routes = mergeRoutes(routes, sender.levels)
      sender.coveredMs = 0
    }
    const servers = this.#servers
    const commands = this.#commands
    const tiers = this.#tiers
    this.#commands = NO_COMMANDS
    this.#tiers = {}
    const planIssuedAtMs = this.#decidedDraws > 0 ? this.#decidedAtMs / this.#decidedDraws : null
    this.#routes = {}
    this.#servers = {}
    this.#reports = 0
    this.#quietCount = 0
    this.#decidedDraws = 0
    this.#decidedAtMs = 0
    this.#drainedAtMs = nowMs
    return { routes, servers, commands, tiers, lengthMs, planIssuedAtMs }
  }

  #addDecided(planIssuedAtMs: number | undefined, draws: number): void {
    if (planIssuedAtMs === undefined) return
    this.#decidedDraws += draws
    this.#decidedAtMs += draws * planIssuedAtMs
  }
}
