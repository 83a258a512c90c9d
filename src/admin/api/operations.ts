import type { Role } from '../auth/identity.ts'
import {
  ACTION_BODY,
  DRAIN_BODY,
  EXPLAIN_BODY,
  HISTORY_BODY,
  HISTORY_QUERY,
  LOG_QUERY,
  NO_QUERY,
  ROOM_EVENT_BODY,
  ROUTES_QUERY,
  SERVERS_BODY,
  SIGN_IN_BODY,
  STOCK_BODY,
  TIER_BODY,
  VERDICTS_QUERY,
} from './requests.ts'

export const API_PATH = '/_tidegate/api/v1'

/** All operations of the API. The app and the API document are made from this table. */
export const OPERATIONS = {
  signIn: operation('POST', '/sign-in', null, 'Exchange a token for a cookie', {
    body: SIGN_IN_BODY,
  }),
  signOut: operation('POST', '/sign-out', null, 'Clear the cookie'),
  me: operation('GET', '/me', 'read', 'Who you are, and what you may do'),
  routes: operation('GET', '/routes', 'read', 'The status of all routes', { query: ROUTES_QUERY }),
  status: operation('GET', '/routes/:route/status', 'read', 'The status of one route'),
  live: operation('GET', '/routes/:route/live', 'read', 'The status once a tick, on a WebSocket'),
  history: operation('GET', '/routes/:route/history', 'read', 'The traffic of a route over time', {
    query: HISTORY_QUERY,
  }),
  events: operation('GET', '/events', 'read', 'What happened, newest first', { query: LOG_QUERY }),
  audit: operation('GET', '/audit', 'read', 'What operators did, newest first', {
    query: LOG_QUERY,
  }),
  verdicts: operation('GET', '/verdicts', 'read', 'A sample of the newest verdicts', {
    query: VERDICTS_QUERY,
  }),
  verdict: operation('GET', '/verdicts/:id', 'read', 'The verdict with the id of its header'),
  explain: operation('POST', '/explain', 'read', 'What would happen to a request, and why', {
    body: EXPLAIN_BODY,
  }),
  openapi: operation('GET', '/openapi.json', 'read', 'This document'),
  act: operation('POST', '/routes/:route/actions', 'write', 'Do something to a route', {
    body: ACTION_BODY,
  }),
  capacity: operation('GET', '/routes/:route/capacity', 'read', 'How many servers are needed'),
  setTier: operation(
    'POST',
    '/routes/:route/capacity/tiers/:tier',
    'write',
    'How many servers a tier has',
    { body: TIER_BODY },
  ),
  importHistory: operation(
    'POST',
    '/routes/:route/capacity/history',
    'write',
    'Arrival rates of past hours',
    { body: HISTORY_BODY },
  ),
  servers: operation('GET', '/routes/:route/servers', 'read', 'The servers of the origin'),
  setServers: operation(
    'POST',
    '/routes/:route/servers',
    'write',
    'Set the servers of the origin',
    { body: SERVERS_BODY },
  ),
  setStock: operation(
    'POST',
    '/routes/:route/stock',
    'write',
    'Say how much is left: 0 is sold out',
    { body: STOCK_BODY },
  ),
  roomEvents: operation(
    'GET',
    '/routes/:route/waiting-room/events',
    'read',
    'The events of the waiting room, of the configuration and of operators',
  ),
  setRoomEvent: operation(
    'PUT',
    '/routes/:route/waiting-room/events/:name',
    'write',
    'Make or change an event of the waiting room',
    { body: ROOM_EVENT_BODY },
  ),
  deleteRoomEvent: operation(
    'DELETE',
    '/routes/:route/waiting-room/events/:name',
    'write',
    'Delete an event of the waiting room',
  ),
  drain: operation(
    'POST',
    '/routes/:route/servers/drain',
    'write',
    'Take a server out of the pool, or give it to another route, without losing a session',
    { body: DRAIN_BODY },
  ),
  undo: operation('DELETE', '/routes/:route/actions/:id', 'write', 'Take an action back'),
} as const

export type OperationId = keyof typeof OPERATIONS

/** null as role: no token is needed. */
function operation<
  const Method extends 'GET' | 'POST' | 'PUT' | 'DELETE',
  const Given extends object,
>(method: Method, path: string, role: Role | null, summary: string, given: Given = {} as Given) {
  return { method, path: `${API_PATH}${path}`, role, summary, query: NO_QUERY, ...given }
}

export const METRICS_PATH = '/_tidegate/metrics'

/** By path, the methods that it has. */
export const KNOWN_PATHS: ReadonlyMap<string, readonly string[]> = Object.values(OPERATIONS).reduce(
  (paths, { path, method }) => paths.set(path, [...(paths.get(path) ?? []), method]),
  new Map<string, readonly string[]>([[METRICS_PATH, ['GET']]]),
)
