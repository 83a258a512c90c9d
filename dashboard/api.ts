import type { OperatorAction } from '../src/coordinator/operator/action.ts'
import type { AuditEntry, OriginEvent } from '../src/coordinator/operator/records.ts'
import type { RouteStatus } from '../src/coordinator/operator/route-status.ts'
import type { TrafficPoint } from '../src/coordinator/operator/traffic-point.ts'
import type { RoomEvent } from './room-events.ts'

/** A route of which no report has come yet has no figures. */
export type ShownStatus = Omit<RouteStatus, 'lastMinute' | 'plan' | 'planAgeMs'> & {
  readonly lastMinute: RouteStatus['lastMinute'] | null
  readonly plan: RouteStatus['plan'] | null
  readonly planAgeMs: number | null
}

export type Range = 'minute' | 'hour' | 'day' | 'quarter'

export interface Me {
  readonly role: 'read' | 'write'
  readonly by: string
  readonly via: string
}

export interface VerdictLine {
  readonly id: string
  readonly atMs: number
  readonly route: string
  readonly class: string | null
  readonly verdict: string
  readonly reason: string
}

export type ActionRequest = OperatorAction & { readonly forS?: number; readonly note?: string }

const BASE = '/_tidegate/api/v1'

/** An answer that is no success. Its text is meant for the operator. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function ask<Value>(path: string, init: RequestInit = {}): Promise<Value> {
  const headers = {
    Accept: 'application/json',
    'Tidegate-Csrf': '1',
    ...(init.body ? { 'Content-Type': 'application/json' } : {}),
  }
  const response = await fetch(`${BASE}${path}`, { ...init, headers })
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string; title?: string }
    throw new ApiError(response.status, problem.detail ?? problem.title ?? response.statusText)
  }
  return (response.status === 204 ? undefined : await response.json()) as Value
}

const routePath = (route: string): string => `/routes/${encodeURIComponent(route)}`

export const api = {
  me: () => ask<Me>('/me'),
  signIn: (token: string, name: string) =>
    ask<void>('/sign-in', {
      method: 'POST',
      body: JSON.stringify(name === '' ? { token } : { token, name }),
    }),
  signOut: () => ask<void>('/sign-out', { method: 'POST' }),
  /** All routes, page by page. */
  async routes(): Promise<readonly ShownStatus[]> {
    const all: ShownStatus[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after === '' ? '' : `?after=${encodeURIComponent(after)}`
      const page: { routes: ShownStatus[]; next: string | null } = await ask(`/routes${query}`)
      all.push(...page.routes)
      after = page.next
    }
    return all
  },
  status: (route: string) => ask<ShownStatus>(`${routePath(route)}/status`),
  history: (route: string, range: Range) =>
    ask<{ points: readonly TrafficPoint[] }>(`${routePath(route)}/history?range=${range}`),
  events: (route: string) =>
    ask<{ events: readonly OriginEvent[] }>(`/events?limit=30&route=${encodeURIComponent(route)}`),
  /** Those of the waiting room: openings and closings. */
  roomEvents: (route: string) =>
    ask<{ events: readonly RoomEvent[] }>(`${routePath(route)}/waiting-room/events`),
  audit: (route: string) =>
    ask<{ entries: readonly AuditEntry[] }>(`/audit?limit=30&route=${encodeURIComponent(route)}`),
  verdicts: (route: string) =>
    ask<{ verdicts: readonly VerdictLine[] }>(
      `/verdicts?limit=20&route=${encodeURIComponent(route)}`,
    ),
  act: (route: string, request: ActionRequest) =>
    ask<AuditEntry>(`${routePath(route)}/actions`, {
      method: 'POST',
      body: JSON.stringify(request),
    }),
  undo: (route: string, id: string) =>
    ask<AuditEntry>(`${routePath(route)}/actions/${encodeURIComponent(id)}`, { method: 'DELETE' }),
}
