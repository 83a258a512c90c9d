import type { Runtime } from '../lib/runtime.ts'
import { type CoordinatorPort, checkedAnswer } from '../protocol/coordinator-port.ts'
import { newerPlan, type Plan } from '../protocol/plan.ts'
import { readPlan } from '../protocol/read-plan.ts'
import type { PlanCache } from './plan-cache.ts'
import { type ReportMessages, withTimeout } from './report-messages.ts'

/** A plan is old if it was confirmed this long ago: reports are a second apart, and commands take a moment to the relays. */
const OLD_AFTER_MS = 1250
/** After this time nobody waits for an answer before asking again: the request that asked may have been stopped. */
export const OVERDUE_MS = 120

interface ConfirmationOptions {
  readonly origin: string
  readonly cache: PlanCache | null
  readonly runtime: Runtime
  readonly port: CoordinatorPort
  readonly messages: ReportMessages
  /** The part of a plan that a newborn isolate may take, by the last answer. */
  readonly fairPart: () => number | undefined
}

/**
 * Knows when the plan in force was last known to be the newest one. In calm reports are seldom, but what operators and
 * origins command must be in force within 2 s. So whoever needs the plan looks whether it is still the newest: in the data
 * centre's cache, and if nobody has looked of late, at the relay. Then the cache has it for the other isolates.
 */
export class PlanConfirmation {
  readonly #options: ConfirmationOptions
  #atMs = Number.NEGATIVE_INFINITY
  #startedAtMs = Number.NEGATIVE_INFINITY
  #isUnderWay = false
  /** Counts the looks that have ended, so that others who wait see the end. */
  #ended = 0

  constructor(options: ConfirmationOptions) {
    this.#options = options
  }

  /** How many looks have ended. */
  get ended(): number {
    return this.#ended
  }

  confirmed(atMs: number): void {
    this.#atMs = atMs
  }

  isOld(nowMs: number): boolean {
    return !isOfLate(this.#atMs, nowMs)
  }

  /** Does somebody look already? */
  isUnderWay(nowMs: number): boolean {
    return this.#isUnderWay && Math.abs(nowMs - this.#startedAtMs) < OVERDUE_MS
  }

  /** Looks whether there is a plan after this one that says something else; null: there is none. */
  async look(current: Plan): Promise<Changed | null> {
    const { runtime } = this.#options
    this.#startedAtMs = runtime.now()
    this.#isUnderWay = true
    try {
      const { plan, atMs } = (await this.#inCache()) ?? (await this.#atRelay())
      // Answers may overtake each other.
      this.#atMs = Math.max(atMs, Math.min(this.#atMs, runtime.now()))
      return isChange(plan, current) ? { plan } : null
    } finally {
      this.#isUnderWay = false
      this.#ended++
    }
  }

  /** What the data centre's cache says. True: the calm is over. */
  async glance(current: Plan): Promise<boolean> {
    const stored = await this.#read()
    if (stored === null) return false
    const isOver = isChange(stored.plan, current)
    const atMs = stored.confirmedAtMs ?? Number.NEGATIVE_INFINITY
    if (!isOver && atMs > this.#atMs && isOfLate(atMs, this.#options.runtime.now()))
      this.#atMs = atMs
    return isOver
  }

  #read() {
    const { cache, origin } = this.#options
    return cache?.read(origin).catch(() => null) ?? Promise.resolve(null)
  }

  async #inCache(): Promise<Found | null> {
    const stored = await this.#read()
    const atMs = stored?.confirmedAtMs
    if (stored === null || atMs === undefined) return null
    return isOfLate(atMs, this.#options.runtime.now()) ? { plan: stored.plan, atMs } : null
  }

  async #atRelay(): Promise<Found> {
    const { runtime, port, messages } = this.#options
    const atMs = runtime.now()
    const answer = await withTimeout(port.report(messages.question(atMs)), runtime)
    const plan = readPlan(checkedAnswer(answer).plan)
    if (plan !== null) await this.offer(plan, atMs)
    return { plan, atMs }
  }

  /** The data centre's cache gets the newest plan. */
  async offer(plan: Plan, confirmedAtMs = this.#atMs): Promise<void> {
    const { runtime, cache, fairPart } = this.#options
    const part = fairPart()
    if (part === undefined) return
    await cache?.offer({ plan, fairPart: part, confirmedAtMs }, runtime.now())
  }
}

/** `plan`: the newest one; null: the relay has none. */
interface Changed {
  readonly plan: Plan | null
}

interface Found extends Changed {
  readonly atMs: number
}

/** A clock may be set back. */
const isOfLate = (atMs: number, nowMs: number): boolean => Math.abs(nowMs - atMs) <= OLD_AFTER_MS

/**
 * Does the newest plan command anything that the current one does not? For half a minute after each command no plan says
 * calm, and a plan of calm is followed for less. So if both say calm, nothing was commanded between the two.
 */
function isChange(given: Plan | null, current: Plan): boolean {
  if (given === null) return true
  if (given.calmMs !== undefined && current.calmMs !== undefined) return false
  if (newerPlan(current, given) === current) return false
  return current.calmMs !== undefined || commandsOf(given) !== commandsOf(current)
}

function commandsOf({ revoked, servers, routes }: Plan): string {
  const byRoute = Object.values(routes).map(({ mode, soldOut, events }) => [mode, soldOut, events])
  return JSON.stringify([revoked, servers, byRoute])
}
