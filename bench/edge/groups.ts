import type { Load } from '../load/load.ts'
import { BROWSER_HEADERS } from '../load/load.ts'
import type { Server } from '../runtime/process.ts'
import type { WorkerCode } from '../runtime/workerd.ts'
import { gate, middleware } from './gate.ts'
import {
  objectLimiter,
  proxyWith,
  type Surroundings,
  startLimitReq,
  startRateLimitBinding,
  worker,
} from './rivals.ts'

/** Variants that are loaded in turn with the same requests, and what each is compared with. */
export interface Group {
  readonly name: 'refuse' | 'admit' | 'session' | 'proxying'
  readonly openness: Surroundings['openness']
  readonly variants: readonly Variant[]
}

export interface Variant {
  readonly name: string
  /** The variant that it is compared with. */
  readonly to: string
  readonly text: string
  readonly runs: Runs
  /** A limiter that a user might choose instead of Tidegate. */
  readonly isRival?: true
  /** It needs nginx, which may not be installed. */
  readonly nginx?: true
}

/** A Worker beside the others in one workerd, or another server. */
export type Runs =
  | {
      readonly code: (around: Surroundings) => Promise<WorkerCode>
      /** It must have its first plan before it is measured. */
      readonly isPlanned?: true
    }
  | { readonly start: (around: Surroundings) => Promise<Server> }

const PAGES = 200
const VISITORS = 1000

/** A thousand visitors on two hundred pages, each with cookies of the site's own. */
export const LOAD: Load = {
  headers: BROWSER_HEADERS,
  requests: Array.from({ length: VISITORS }, (_, visitor) => ({
    path: `/products/${1000 + (visitor % PAGES)}?from=front`,
    cookie: `theme=dark; visitor=${100_000 + visitor}`,
  })),
  connections: 16,
}

const workerOf = (name: string): Runs => ({ code: (around) => worker(name, around) })
const bareRefusal = workerOf('bare-refusal')
const bareProxy = workerOf('bare-proxy')
const theGate: Runs = { code: ({ origin, openness }) => gate(origin, openness), isPlanned: true }

/** The second one shows how far two runs of the same thing differ. */
const BARE_TWICE: readonly Variant[] = [
  { name: 'bare', to: 'bare', text: 'bare proxy', runs: bareProxy },
  { name: 'control', to: 'bare', text: 'the bare proxy once more', runs: bareProxy },
]

const RIVALS = [
  {
    name: 'doPerRequest',
    to: 'bare',
    isRival: true,
    text: 'a Durable Object asked for each request',
    runs: { code: objectLimiter },
  },
  {
    name: 'honoRateLimiter',
    to: 'bare',
    isRival: true,
    text: 'hono-rate-limiter, memory store',
    runs: workerOf('hono-rate-limiter'),
  },
  {
    name: 'rateLimitBinding',
    to: 'bare',
    isRival: true,
    text: 'the rate-limit binding, as Miniflare has it',
    runs: { start: startRateLimitBinding },
  },
  {
    name: 'nginx',
    to: 'bare',
    isRival: true,
    nginx: true,
    text: 'nginx limit_req',
    runs: { start: startLimitReq },
  },
] as const satisfies readonly Variant[]

const careful = (name: string, text: string, parts: readonly string[] = [name]): Variant => ({
  name,
  to: 'bare',
  text,
  runs: { code: (around) => proxyWith(parts, around) },
})

/** What each part of careful proxying costs. Every gate needs these parts. */
export const PROXYING: Group = {
  name: 'proxying',
  openness: 'open',
  variants: [
    ...BARE_TWICE,
    careful('timed', '… that reads the time'),
    careful('headers', '… that sets two X-Forwarded headers'),
    careful('clock', '… with a timeout'),
    careful('signal', '… that listens for the client’s disconnect'),
    careful('background', '… that keeps a promise in waitUntil'),
    careful('answer', '… that reads headers of the response'),
    careful('cookie', '… that sets a cookie'),
  ],
}

/** It sends the same bytes as the gate to the origin and to the client. The difference is the gate itself. */
const sameBytes = (parts: readonly string[]): Variant => ({
  ...careful('sameBytes', 'a bare proxy that sends and answers the same bytes', parts),
  isRival: true,
})

export const GROUPS: readonly Group[] = [
  {
    name: 'refuse',
    openness: 'shut',
    variants: [
      { name: 'bare', to: 'bare', text: 'bare Worker, the same answer', runs: bareRefusal },
      { name: 'control', to: 'bare', text: 'the bare Worker once more', runs: bareRefusal },
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate',
        runs: theGate,
      },
      {
        name: 'emptyMiddleware',
        to: 'emptyMiddleware',
        text: 'Hono middleware, the same answer',
        runs: workerOf('empty-middleware'),
      },
      {
        name: 'middleware',
        to: 'emptyMiddleware',
        text: 'Tidegate as Hono middleware',
        runs: {
          code: ({ origin, openness }) => middleware(origin, openness),
          isPlanned: true,
        },
      },
      ...RIVALS,
    ],
  },
  {
    name: 'admit',
    openness: 'open',
    variants: [
      ...BARE_TWICE,
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate, each request a new session',
        runs: theGate,
      },
      sameBytes(['headers', 'cookie']),
      ...RIVALS,
    ],
  },
  {
    name: 'session',
    openness: 'open',
    variants: [
      ...BARE_TWICE,
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate, known sessions',
        runs: theGate,
      },
      sameBytes(['headers']),
    ],
  },
]
