import { TokenBucket } from '../../src/admission/token-bucket.ts'
import type { Sending } from '../clients/clients.ts'
import type { Policy, PolicyFactory } from '../gate/policy.ts'
import { type LoadTest, peerOf } from './peer.ts'
import { LEAST_BURST } from './token-bucket.ts'
import { TrailingCounts } from './trailing-counts.ts'

export interface WaitingRoomOptions {
  /**
   * Both limits as a share of the load test's. Range: above 0. @default 0.75, as its documentation
   * advises
   */
  readonly share?: number
  /**
   * `session_duration`: a user stays active for this long after the last request. Multiple of 100.
   * @default 300 000
   */
  readonly sessionDurationMs?: number
  /**
   * New users of a minute: admitted on arrival until the minute is full, or evenly over it.
   * @default 'as they come'
   */
  readonly newUsers?: 'as they come' | 'evenly'
}

export const WAITING_ROOM_DEFAULTS = {
  share: 0.75,
  sessionDurationMs: 300_000,
  newUsers: 'as they come',
} as const satisfies WaitingRoomOptions

const MINUTE_MS = 60_000

/** Resolution of the time of a last request. */
const SEEN_TO_MS = 100

/** `total_active_users` and `new_users_per_minute`. */
export interface WaitingRoomLimits {
  readonly activeUsers: number
  readonly newUsersPerMinute: number
}

/**
 * Cloudflare's Waiting Room, as documented: a new user is admitted while fewer than `activeUsers`
 * have sent a request within the session duration, and while the minute has room. Admitted users
 * stay admitted. Its minimum limits of 200 are not applied here, because they would only harm it.
 */
export class WaitingRoom implements Policy {
  readonly #limits: WaitingRoomLimits
  readonly #sessionDurationMs: number
  readonly #evenly: TokenBucket | undefined
  /** Active users by the time of their last request. */
  readonly #active: TrailingCounts
  readonly #lastSeenMs = new Map<number, number>()
  #minute = 0
  #newUsers = 0

  constructor(limits: WaitingRoomLimits, options: Required<WaitingRoomOptions>) {
    this.#limits = limits
    this.#sessionDurationMs = options.sessionDurationMs
    this.#active = new TrailingCounts(this.#sessionDurationMs / SEEN_TO_MS, SEEN_TO_MS)
    if (options.newUsers === 'evenly') {
      const depth = Math.max(LEAST_BURST, limits.newUsersPerMinute / 60)
      this.#evenly = new TokenBucket(0, depth)
      this.#evenly.set(limits.newUsersPerMinute / 60, depth, 0)
    }
  }

  activeUsers(nowMs: number): number {
    return this.#active.total(nowMs)
  }

  admits(_klass: number, nowMs: number, home: number): boolean {
    if (this.activeUsers(nowMs) + 1 > this.#limits.activeUsers) return false
    if (!this.#minuteHasRoom(nowMs)) return false
    this.#seen(home, nowMs)
    return true
  }

  sent(_id: number, sending: Sending, nowMs: number): void {
    this.#seen(sending.home, nowMs)
  }

  #minuteHasRoom(nowMs: number): boolean {
    if (this.#evenly) return this.#evenly.take(1, 0, nowMs)
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#newUsers = 0
    }
    if (this.#newUsers + 1 > this.#limits.newUsersPerMinute) return false
    this.#newUsers++
    return true
  }

  #seen(home: number, nowMs: number): void {
    const seenMs = Math.floor(nowMs / SEEN_TO_MS) * SEEN_TO_MS
    const beforeMs = this.#lastSeenMs.get(home)
    if (beforeMs !== undefined && seenMs - beforeMs < this.#sessionDurationMs) {
      this.#active.moveOne(beforeMs, nowMs)
    } else this.#active.add(1, nowMs)
    this.#lastSeenMs.set(home, seenMs)
  }
}

/** By Little's law the number of active users is λ (session + session duration). */
export function limitsOf(
  { saturationRate, sessionMs }: LoadTest,
  { share, sessionDurationMs }: Required<WaitingRoomOptions>,
): WaitingRoomLimits {
  const rate = share * saturationRate
  return {
    activeUsers: (rate * (sessionMs + sessionDurationMs)) / 1000,
    newUsersPerMinute: rate * 60,
  }
}

function fixedActiveUsers(options: WaitingRoomOptions, loadTest: LoadTest): PolicyFactory {
  const resolved = { ...WAITING_ROOM_DEFAULTS, ...options }
  return () => new WaitingRoom(limitsOf(loadTest, resolved), resolved)
}

export const waitingRoom = peerOf('waiting-room', fixedActiveUsers, {
  defaults: {},
  '90 %': { share: 0.9 },
  '100 %': { share: 1 },
  '95 %, evenly': { share: 0.95, newUsers: 'evenly' },
  '95 %, 1 min': { share: 0.95, sessionDurationMs: MINUTE_MS },
  '95 %, 1 min, evenly': { share: 0.95, sessionDurationMs: MINUTE_MS, newUsers: 'evenly' },
})
