import * as v from 'valibot'
import { GRANULARITIES, MODES } from '../../config/config.ts'
import { EVENT_KINDS } from '../../coordinator/operator/records.ts'
import type { OperationId } from './operations.ts'
import { RANGES } from './requests.ts'

/** The answers of the API, for its document and for tests. The Worker itself does not load this file. */

const number = v.number()
const text = v.string()
const orNull = <Schema extends v.GenericSchema>(schema: Schema) => v.nullable(schema)
const byName = <Schema extends v.GenericSchema>(schema: Schema) => v.record(text, schema)
const described = (schema: typeof number, words: string) => v.pipe(schema, v.description(words))

const TRAFFIC = {
  offered: described(number, 'Asked for a decision, per second. A visitor who waits counts once.'),
  admitted: described(number, 'Let in, at once or after a wait, per second.'),
  refused: described(number, 'Turned away for any reason, per second.'),
  queued: described(number, 'Sent to the waiting room, per second.'),
  degraded: described(number, 'Got a lighter answer, or one of another origin, per second.'),
  wouldRefuse: described(
    number,
    'Let in although the verdict was to refuse (observe), per second.',
  ),
  requests: described(number, 'Sent to the origin, per second.'),
  served: described(number, 'Answered with a status below 500, per second.'),
  failed: described(number, 'Answered with 500 or above, or not at all, per second.'),
}

const POINT = v.object({
  atMs: number,
  seconds: number,
  ...TRAFFIC,
  abandoned: number,
  withinTarget: number,
  inFlight: number,
  limit: orNull(number),
  targetMs: number,
  p50Ms: orNull(number),
  p95Ms: orNull(number),
  p99Ms: orNull(number),
  classes: byName(v.object(TRAFFIC)),
})

const MINUTE = {
  ...TRAFFIC,
  seconds: number,
  guaranteed: number,
  early: number,
  overQuota: number,
  abandoned: number,
  withinTarget: number,
  inFlight: number,
  admits: byName(number),
  refusals: byName(number),
  p50Ms: orNull(number),
  p95Ms: orNull(number),
  p99Ms: orNull(number),
}

const CHANGE = v.variant('action', [
  v.object({ action: v.literal('mode'), mode: v.picklist(MODES) }),
  v.object({ action: v.literal('limit'), limit: number }),
  v.object({ action: v.literal('target'), targetMs: number }),
  v.object({ action: v.literal('value'), class: text, value: number }),
  v.object({ action: v.literal('guaranteed'), class: text, guaranteed: number }),
])

const STATUS = v.object({
  name: text,
  origin: text,
  granularity: v.picklist(GRANULARITIES),
  mode: v.picklist(MODES),
  configuredMode: v.picklist(MODES),
  summary: v.object({
    level: v.picklist(['idle', 'calm', 'surge', 'trouble', 'off']),
    text,
  }),
  now: orNull(POINT),
  lastMinute: orNull(v.object({ ...MINUTE, classes: byName(v.object(MINUTE)) })),
  learner: v.object({
    name: text,
    reason: text,
    meaning: text,
    state: v.optional(v.unknown()),
    curve: v.optional(v.array(v.object({ load: number, value: number }))),
  }),
  learned: v.optional(
    v.object({
      limit: v.object({ value: orNull(number), unit: text }),
      requestsPerSecond: orNull(number),
      measuredPerSecond: orNull(number),
      announced: v.array(
        v.object({ atMs: number, before: number, after: number, verdict: text, text }),
      ),
    }),
  ),
  plan: orNull(
    v.looseObject({
      limit: orNull(number),
      reason: text,
      targetMs: number,
      classes: byName(v.looseObject({ probability: number, guaranteed: number, rank: number })),
    }),
  ),
  planAgeMs: orNull(number),
  overcommitted: v.boolean(),
  servers: v.array(v.object({ url: text, weight: number, isDown: v.boolean() })),
  down: v.optional(v.array(text)),
  dataCentres: v.array(
    v.object({ name: text, share: number, offered: number, reportedMsAgo: number }),
  ),
  overrides: v.array(
    v.object({
      ...{ id: text, route: text, change: CHANGE, by: text, sinceMs: number },
      ...{ untilMs: orNull(number), isCovered: v.boolean() },
    }),
  ),
  reports: v.object({ taken: number, repeated: number, refused: number }),
  senders: number,
  queues: v.optional(
    byName(
      v.object({
        ...{ waiting: number, fresh: number, rate: number, leaving: number },
        promises: v.object({ early: number, kept: number, late: number }),
      }),
    ),
  ),
})

const VALUE = v.nullable(v.union([text, number]))

const AUDIT_ENTRY = v.object({
  id: text,
  atMs: number,
  origin: text,
  route: text,
  by: text,
  via: v.picklist(['token', 'cookie', 'access', 'timer']),
  kind: text,
  text,
  class: v.optional(text),
  from: VALUE,
  to: VALUE,
  untilMs: orNull(number),
  note: v.optional(text),
  undoes: v.optional(text),
  isUndoable: v.optional(v.boolean()),
})

const EVENT = v.object({
  id: text,
  atMs: number,
  origin: text,
  route: orNull(text),
  kind: v.picklist(EVENT_KINDS),
  text,
})

const ROOM_EVENT = v.object({
  name: text,
  source: v.picklist(['config', 'operator']),
  opensMs: orNull(number),
  preQueueMs: number,
  closesMs: orNull(number),
  reopensMs: orNull(number),
})

const TRIED_RULE = {
  isMatch: v.boolean(),
  conditions: v.array(
    v.object({ key: text, expected: v.array(text), found: orNull(text), isMatch: v.boolean() }),
  ),
}

const EXPLANATION = v.object({
  url: text,
  method: text,
  paths: v.array(text),
  routesTried: v.array(v.object({ route: text, match: text, isMatch: v.boolean() })),
  route: orNull(text),
  mode: orNull(v.picklist(MODES)),
  bypassTried: v.array(v.object(TRIED_RULE)),
  classesTried: v.array(v.object({ class: text, ...TRIED_RULE })),
  class: orNull(text),
  verdict: v.object({
    verdict: v.picklist(['admit', 'refuse', 'queue', 'draw', 'none']),
    reason: orNull(text),
    chance: orNull(number),
    isOnlyObserved: v.boolean(),
    text,
  }),
})

const VERDICT = {
  ...{ id: text, atMs: number, route: text, class: text, verdict: text, reason: text },
  ...{ probability: number, planSeq: number },
}

const next = orNull(number)

/** By operation: the status of its success, and the schema of its body; null: it has none. */
export const ANSWERS = {
  signIn: { status: 204, body: null },
  signOut: { status: 204, body: null },
  me: {
    status: 200,
    body: v.object({
      role: v.picklist(['read', 'write']),
      by: text,
      via: v.picklist(['token', 'cookie', 'access']),
    }),
  },
  routes: {
    status: 200,
    body: v.object({ atMs: number, routes: v.array(STATUS), next: orNull(text) }),
  },
  status: { status: 200, body: STATUS },
  live: { status: 101, body: null },
  history: {
    status: 200,
    body: v.object({
      ...{ route: text, range: v.picklist(RANGES), stepMs: number, points: v.array(POINT) },
    }),
  },
  events: { status: 200, body: v.object({ events: v.array(EVENT), next }) },
  audit: { status: 200, body: v.object({ entries: v.array(AUDIT_ENTRY), next }) },
  verdicts: { status: 200, body: v.object({ verdicts: v.array(v.object(VERDICT)) }) },
  verdict: { status: 200, body: v.object({ ...VERDICT, minute: orNull(POINT) }) },
  explain: { status: 200, body: EXPLANATION },
  openapi: { status: 200, body: v.looseObject({ openapi: v.literal('3.1.0') }) },
  act: { status: 201, body: AUDIT_ENTRY },
  undo: { status: 200, body: AUDIT_ENTRY },
  capacity: { status: 200, body: v.looseObject({}) },
  setTier: { status: 204, body: null },
  importHistory: { status: 204, body: null },
  servers: {
    status: 200,
    body: v.object({ servers: orNull(v.array(v.looseObject({ url: text, weight: number }))) }),
  },
  setServers: { status: 204, body: null },
  setStock: { status: 204, body: null },
  roomEvents: { status: 200, body: v.object({ events: v.array(ROOM_EVENT) }) },
  setRoomEvent: { status: 200, body: AUDIT_ENTRY },
  deleteRoomEvent: { status: 200, body: AUDIT_ENTRY },
  drain: { status: 204, body: null },
} as const satisfies Record<
  OperationId,
  { readonly status: number; readonly body: v.GenericSchema | null }
>

/** The schemas that have a name in the document. */
export const NAMED_SCHEMAS = {
  RouteStatus: STATUS,
  TrafficPoint: POINT,
  AuditEntry: AUDIT_ENTRY,
  Event: EVENT,
  Explanation: EXPLANATION,
}

/** RFC 9457. */
export const PROBLEM = v.object({
  type: text,
  title: text,
  status: number,
  detail: v.optional(text),
})
