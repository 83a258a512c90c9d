import type { RouteStatus } from '../../src/coordinator/operator/route-status.ts'
import type { LocalGate } from '../local-gate.ts'
import { CHAOS_PATH } from './faults.ts'

const API = '/_tidegate/api/v1'
const ROUTE = `${API}/routes/site`

/** The admin API of a gate that may be down: null means that it did not answer. */
export class Operator {
  readonly #gate: () => LocalGate

  constructor(gate: () => LocalGate) {
    this.#gate = gate
  }

  async setFault(fault: string): Promise<void> {
    await fetch(`${this.#gate().url}${CHAOS_PATH}${encodeURIComponent(fault)}`)
  }

  async status(): Promise<RouteStatus | null> {
    return this.#json<RouteStatus>(`${ROUTE}/status`)
  }

  async limit(): Promise<number | null> {
    return (await this.status())?.plan?.limit ?? null
  }

  /** Does something that changes nothing for visitors. Returns the id in the audit log. */
  async act(note: string): Promise<string | null> {
    const body = JSON.stringify({ action: 'mode', mode: 'enforce', note })
    const made = await this.#json<{ id: string }>(`${ROUTE}/actions`, { method: 'POST', body })
    return made?.id ?? null
  }

  async auditIds(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>()
    let cursor = ''
    for (;;) {
      const page = await this.#json<AuditPage>(`${API}/audit?limit=100${cursor}`)
      if (page === null) throw new Error('The audit log cannot be read')
      for (const { id } of page.entries) ids.add(id)
      if (page.next === null) return ids
      cursor = `&before=${page.next}`
    }
  }

  /** The minutes with a point in the history, which has the time of their end. */
  async minutes(): Promise<ReadonlySet<number>> {
    const history = await this.#json<History>(`${ROUTE}/history?range=day`)
    return new Set(history?.points.map(({ atMs }) => Math.floor(atMs / 60_000) - 1))
  }

  async metrics(): Promise<ReadonlyMap<string, number> | null> {
    const text = await this.#get('/_tidegate/metrics')
    if (text === null) return null
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => {
        const end = line.lastIndexOf(' ')
        return [line.slice(0, end), Number(line.slice(end + 1))] as const
      }),
    )
  }

  async #json<Value>(path: string, init: RequestInit = {}): Promise<Value | null> {
    const text = await this.#get(path, init)
    return text === null ? null : (JSON.parse(text) as Value)
  }

  async #get(path: string, init: RequestInit = {}): Promise<string | null> {
    const { url, adminToken } = this.#gate()
    const headers = { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' }
    const signal = AbortSignal.timeout(3000)
    try {
      const answer = await fetch(`${url}${path}`, { headers, signal, ...init })
      return answer.ok ? await answer.text() : null
    } catch {
      return null
    }
  }
}

interface AuditPage {
  readonly entries: readonly { readonly id: string }[]
  readonly next: string | null
}

interface History {
  readonly points: readonly { readonly atMs: number }[]
}
