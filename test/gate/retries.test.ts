import { beforeAll, describe, it } from 'vitest'
import { exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { addressOf, Caller, countersOf, gateOf } from '../support/gates.ts'

/** The middle of the default range: the fake runtime's random number is always 0.5. */
const RETRY_AFTER_MS = 10_000
/** 6 of 30 new visitors/s are admitted. Refused visitors come back, and give up after 40 s. */
const PLAN = { drawLimit: 6, burst: 3, classes: { default: { probability: 0.2 } } }
const PER_SECOND = 30
const SECONDS = 160
const PATIENCE_MS = 40_000
/** After this time the number of retries no longer grows. */
const WARM_UP_MS = 50_000
const RELOAD_MS = 500

interface Visitor {
  readonly caller: Caller
  /** Reloads twice a second. Other visitors wait for the retry time. */
  readonly isHasty: boolean
  readonly cameMs: number
}

interface Group {
  came: number
  admitted: number
  requests: number
}

/** A crowd where half of the visitors reload at once. */
async function crowd(hasty: { readonly keepsCookies: boolean; readonly ip?: string }) {
  const { gate, route, startMs } = await gateOf({}, PLAN)
  const random = streams(1)
  const [clock, kinds] = [random('arrivals'), random('kinds')]
  const between = exponential({ mean: 1000 / PER_SECOND })
  const groups = { hasty: newGroup(), patient: newGroup() }
  const agenda = new Map<number, Visitor[]>()
  const later = (atMs: number, visitor: Visitor): void => {
    const at = Math.ceil(atMs)
    agenda.set(at, [...(agenda.get(at) ?? []), visitor])
  }
  let nextMs = 0
  let came = 0
  for (let ms = 0; ms < SECONDS * 1000; ms++) {
    for (; nextMs <= ms; nextMs += between.draw(clock)) {
      const isHasty = kinds.next() < 0.5
      const own = { ip: addressOf(came++), keepsCookies: true }
      const caller = new Caller(gate, isHasty ? { ...own, ...hasty } : own)
      later(ms, { caller, isHasty, cameMs: ms })
    }
    for (const visitor of agenda.get(ms) ?? []) {
      const { caller, isHasty, cameMs } = visitor
      const group = isHasty ? groups.hasty : groups.patient
      const isCounted = cameMs >= WARM_UP_MS && cameMs < SECONDS * 1000 - PATIENCE_MS
      const verdict = caller.ask(startMs + ms)
      if (isCounted) {
        group.requests++
        if (ms === cameMs) group.came++
        if (verdict.kind === 'admit') group.admitted++
      }
      if (verdict.kind === 'admit' || ms - cameMs > PATIENCE_MS) continue
      later(ms + (isHasty ? RELOAD_MS : RETRY_AFTER_MS), visitor)
    }
    agenda.delete(ms)
  }
  const partOf = ({ came, admitted }: Group): number => admitted / came
  return {
    hasty: { ...groups.hasty, part: partOf(groups.hasty) },
    patient: { ...groups.patient, part: partOf(groups.patient) },
    counts: countersOf(route).drain(),
  }
}

const newGroup = (): Group => ({ came: 0, admitted: 0, requests: 0 })

describe('a crowd that retries at once', () => {
  let whole: Awaited<ReturnType<typeof crowd>>
  beforeAll(async () => {
    whole = await crowd({ keepsCookies: true })
  }, 30_000)

  it('gains nothing: visitors who reload twice a second are admitted no more often than those who wait', ({
    expect,
  }) => {
    const { hasty, patient } = whole
    expect(hasty.requests).toBeGreaterThan(10 * patient.requests)
    // Retry cookies end at whole seconds, so those who reload come all at once and get slightly less.
    expect(hasty.part).toBeLessThan(1.1 * patient.part)
    expect(hasty.part).toBeGreaterThan(0.6 * patient.part)
  })

  it('does not increase the demand: its reloads are not counted as offered', ({ expect }) => {
    const { offered, early, admitted } = whole.counts
    // With a retry time of ten seconds a visitor draws five times in 40 s.
    expect(offered).toBeLessThan(5 * PER_SECOND * SECONDS)
    expect(early).toBeGreaterThan(5 * offered)
    expect(Math.abs(admitted / SECONDS / 6 - 1)).toBeLessThan(0.02)
  })
})

describe('a crowd of scripts without cookies, from one range of addresses', {
  timeout: 30_000,
}, () => {
  it('is one client for fairness: it gets at most a quarter, whatever it sends', async ({
    expect,
  }) => {
    const { hasty, patient, counts } = await crowd({ keepsCookies: false, ip: '203.0.113.9' })
    expect(hasty.requests).toBeGreaterThan(10 * patient.requests)
    expect(hasty.admitted / (hasty.admitted + patient.admitted)).toBeLessThan(0.27)
    expect(counts.overQuota).toBeGreaterThan(counts.offered)
  })
})
