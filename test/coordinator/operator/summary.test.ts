import { describe, it } from 'vitest'
import { type RouteSituation, summaryOf } from '../../../src/coordinator/operator/summary.ts'
import type { ClassTraffic, TrafficPoint } from '../../../src/coordinator/operator/traffic-point.ts'

const CLASS: ClassTraffic = {
  ...{ offered: 0, admitted: 0, refused: 0, wouldRefuse: 0 },
  ...{ requests: 0, served: 0, failed: 0, queued: 0, degraded: 0 },
}

const trafficOf = (given: Partial<TrafficPoint>): TrafficPoint => ({
  ...CLASS,
  ...{ atMs: 0, seconds: 5, abandoned: 0, withinTarget: 0, inFlight: 0, limit: 92, targetMs: 1000 },
  ...{ p50Ms: 100, p95Ms: 400, p99Ms: 600, classes: {} },
  ...given,
})

function summary(traffic: Partial<TrafficPoint> | null, given: Partial<RouteSituation> = {}) {
  return summaryOf({
    ...{ granularity: 'request', mode: 'enforce', percentile: 95, percentileMs: 400 },
    ...{ waiting: 0, isOvercommitted: false, isFixed: false, servers: 3, serversDown: 0 },
    traffic: traffic === null ? null : trafficOf(traffic),
    ...given,
  })
}

const CROWD: Partial<TrafficPoint> = {
  ...{ offered: 940, admitted: 92, refused: 848, requests: 92, served: 92 },
  classes: {
    members: { ...CLASS, offered: 66, admitted: 66 },
    visitors: { ...CLASS, offered: 874, admitted: 26, refused: 848 },
  },
}

describe('the sentence of a route', () => {
  it('says in a surge how large it is, who gets in, and how the origin does', ({ expect }) => {
    expect(summary(CROWD)).toEqual({
      level: 'surge',
      text: 'Surge: 10 times the capacity. Admitting 92 of 940 requests/s, all members and 3 % of visitors. Response times are within the target: 95 % of answers take up to 400 ms, the target is 1 s.',
    })
  })

  it('says that all get in when all do', ({ expect }) => {
    const calm = { offered: 42, admitted: 42, requests: 42, served: 42 }
    expect(summary(calm)).toEqual({
      level: 'calm',
      text: 'Calm: everybody gets in. 42 requests/s, the limit is 92. Response times are within the target: 95 % of answers take up to 400 ms, the target is 1 s.',
    })
    expect(
      summary({ ...calm, requests: 310, limit: null }, { granularity: 'session' }).text,
    ).toMatch(
      /^Calm: everybody gets in\. 42 new sessions\/s and 310 requests\/s, no limit is known yet\./,
    )
  })

  it('says in observe what would happen', ({ expect }) => {
    const traffic = {
      ...{ offered: 940, admitted: 940, wouldRefuse: 848, requests: 940 },
      classes: {
        members: { ...CLASS, offered: 66, admitted: 66 },
        visitors: { ...CLASS, offered: 874, admitted: 874, wouldRefuse: 874 },
      },
    }
    expect(summary(traffic, { mode: 'observe', percentileMs: 3210 })).toEqual({
      level: 'trouble',
      text: 'Surge: 10 times the capacity. Would admit 92 of 940 requests/s, all members and no visitors. Everybody is let in, because the gate only observes. Response times are over the target: 95 % of answers take up to 3.2 s, the target is 1 s.',
    })
  })

  it('says what the others get, if it is not a refusal', ({ expect }) => {
    expect(summary({ ...CROWD, refused: 8, queued: 840 }).text).toContain(
      'The others wait in line.',
    )
    expect(summary({ ...CROWD, refused: 8, degraded: 840 }).text).toContain(
      'The others get a lighter answer.',
    )
    expect(summary(CROWD).text).not.toContain('The others')
  })

  it('says how many wait, and does not call those who get in a part of those who ask', ({
    expect,
  }) => {
    const rush = { offered: 140, admitted: 92, queued: 140, requests: 92, served: 92 }
    expect(summary(rush, { waiting: 4321.2, percentileMs: null })).toEqual({
      level: 'surge',
      text: 'Surge: 1.5 times the capacity. 140 requests/s ask, 92 get in. 4321 visitors wait in line.',
    })
    const after = { ...rush, offered: 5, queued: 5 }
    expect(summary(after, { waiting: 1, granularity: 'session', percentileMs: null }).text).toBe(
      'The queue is served: no more ask than the origin can serve. 5 new sessions/s ask, 92 get in. 1 visitor waits in line.',
    )
  })

  it('names the operator where the limit is fixed', ({ expect }) => {
    expect(summary(CROWD, { isFixed: true }).text).toMatch(
      /^Surge: 10 times the limit that an operator set\./,
    )
  })

  it('begins with the failures of the origin, and takes them for no response times', ({
    expect,
  }) => {
    const failing = { offered: 10, admitted: 10, requests: 10, served: 0, failed: 10 }
    expect(summary(failing, { percentileMs: 2000 })).toEqual({
      level: 'trouble',
      text: 'The origin fails 100 % of its requests. Everybody gets in. 10 requests/s, the limit is 92.',
    })
  })

  it('says what is wrong with the origin', ({ expect }) => {
    const failing = { offered: 10, admitted: 10, requests: 10, served: 6, failed: 4 }
    const said = summary(failing, { serversDown: 1, isOvercommitted: true })
    expect(said.level).toBe('trouble')
    expect(said.text).toContain('The origin fails 40 % of its requests.')
    expect(said.text).toContain('1 of 3 servers does not answer.')
    expect(said.text).toContain('The guarantees use up the whole limit')
  })

  it('is short where nothing happens', ({ expect }) => {
    expect(summary(null)).toEqual({ level: 'idle', text: 'No requests at the moment.' })
    expect(summary(CROWD, { mode: 'off' })).toEqual({
      level: 'off',
      text: 'The gate is off. Everybody is let in.',
    })
  })

  it('does not speak of a surge where single requests came too early', ({ expect }) => {
    const early = { offered: 42, admitted: 42, refused: 3, requests: 42, served: 42 }
    expect(summary(early).level).toBe('calm')
  })

  it('has no factor where requests in flight are the bound', ({ expect }) => {
    const text = summary({ offered: 50, admitted: 40, refused: 10, requests: 40 }).text
    expect(text).toMatch(/^Surge: more ask than the origin can serve within its target\./)
  })
})
