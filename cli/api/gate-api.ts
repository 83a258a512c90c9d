import type { ArgsDef } from 'citty'
import { nearest } from '../../src/config/errors/wording.ts'
import { CliError, EXIT } from '../command.ts'
import { readDevVars, readLocal } from '../local.ts'
import type { Status } from './shapes.ts'

/** The admin API of a gate, for the commands. */

export const ROUTE_ARG = {
  route: {
    type: 'positional',
    description: 'Name of a route',
    valueHint: 'ROUTE',
    required: false,
  },
} as const satisfies ArgsDef

export const GATE_ARGS = {
  url: { type: 'string', description: 'Address of the gate', valueHint: 'URL' },
  token: { type: 'string', description: 'Admin token', valueHint: 'TOKEN' },
} as const satisfies ArgsDef

export interface GateArgs {
  readonly url?: string | undefined
  readonly token?: string | undefined
}

const API = '/_tidegate/api/v1'
const ANSWER_MS = 10_000
const DEFAULT_URL = 'http://127.0.0.1:8787'

export class GateApi {
  readonly url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.url = url
    this.#token = token
  }

  async get<Answer>(path: string): Promise<Answer> {
    return await this.#ask<Answer>('GET', path)
  }

  /** `by` is the person that the audit log names. */
  async post<Answer>(path: string, body: unknown, by?: string): Promise<Answer> {
    return await this.#ask<Answer>('POST', path, body, by)
  }

  async put<Answer>(path: string, body: unknown, by?: string): Promise<Answer> {
    return await this.#ask<Answer>('PUT', path, body, by)
  }

  async delete<Answer>(path: string, by?: string): Promise<Answer> {
    return await this.#ask<Answer>('DELETE', path, undefined, by)
  }

  /** All routes, page by page. */
  async routes(): Promise<readonly Status[]> {
    const all: Status[] = []
    let after: string | null = null
    do {
      const query: string = after === null ? '' : `?after=${encodeURIComponent(after)}`
      const page: RoutesPage = await this.get(`/routes${query}`)
      all.push(...page.routes)
      after = page.next ?? null
    } while (after !== null)
    return all
  }

  async #ask<Answer>(method: string, path: string, body?: unknown, by?: string): Promise<Answer> {
    const response = await this.#send(method, `${this.url}${API}${path}`, body, by)
    const text = await response.text()
    if (response.ok) return (text === '' ? null : JSON.parse(text)) as Answer
    throw this.#refused(response.status, text)
  }

  async #send(method: string, url: string, body: unknown, by?: string): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}` }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    if (by !== undefined) headers['Tidegate-Operator'] = by
    try {
      return await fetch(url, {
        method,
        headers,
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error }
      throw new CliError(
        `There is no gate at ${this.url}: ${cause?.message || message}. Start one with "tidegate dev", or name it with --url.`,
        EXIT.noGate,
      )
    }
  }

  #refused(status: number, text: string): CliError {
    if (status === 401 || status === 403)
      return new CliError(
        status === 401
          ? `${this.url} does not accept the token. Give the value of TIDEGATE_ADMIN_TOKEN with --token.`
          : `${this.url}: this token may only read.`,
        EXIT.noGate,
      )
    const problem = problemOf(text)
    if (problem === null)
      return new CliError(
        `${this.url} answered ${status}, but not as a gate does. Is it a Tidegate?`,
        EXIT.noGate,
      )
    const said = problem.detail ?? problem.title
    return new CliError(`${this.url} answered ${status}: ${said}`, EXIT.failed, problem)
  }
}

interface RoutesPage {
  readonly routes: readonly Status[]
  readonly next?: string | null
}

interface ProblemDocument {
  readonly title: string
  readonly detail?: string
}

function problemOf(text: string): ProblemDocument | null {
  try {
    const problem = JSON.parse(text) as ProblemDocument | null
    return typeof problem?.title === 'string' ? problem : null
  } catch {
    return null
  }
}

/** The gate that the flags, the environment, or this folder name. */
export function gateOf({ url, token }: GateArgs, folder = process.cwd()): GateApi {
  const local = readLocal(folder)
  const { TIDEGATE_URL, TIDEGATE_ADMIN_TOKEN } = process.env
  const address = url ?? TIDEGATE_URL ?? local?.url ?? DEFAULT_URL
  const origin = URL.canParse(address) ? new URL(address).origin : null
  if (origin === null || origin === 'null')
    throw new CliError(
      `--url: expected an address such as https://shop.example.com, got "${address}".`,
      EXIT.usage,
    )
  const known =
    token ??
    TIDEGATE_ADMIN_TOKEN ??
    (origin === local?.url ? local.token : readDevVars(folder).TIDEGATE_ADMIN_TOKEN)
  if (!known)
    throw new CliError(
      'There is no admin token. Give it with --token, in TIDEGATE_ADMIN_TOKEN or in .dev.vars, or run "tidegate dev" in this folder.',
      EXIT.noGate,
    )
  return new GateApi(origin, known)
}

/** The route of this name. With none, the only route. */
export async function routeOf(gate: GateApi, name: string | undefined): Promise<Status> {
  const routes = await gate.routes()
  const names = routes.map((route) => route.name)
  if (name === undefined && routes.length === 1) return routes[0]!
  const found = routes.find((route) => route.name === name)
  if (found !== undefined) return found
  const meant = name === undefined ? null : nearest(name, names)
  const remedy = meant === null ? `There are: ${names.join(', ')}.` : `Did you mean "${meant}"?`
  throw new CliError(
    name === undefined
      ? `Which route? ${remedy}`
      : `${name}: the gate has no such route. ${remedy}`,
    EXIT.usage,
  )
}
