import type { Load } from '../load/load.ts'
import { BROWSER_HEADERS } from '../load/load.ts'
import type { Server } from '../runtime/process.ts'
import { startGate, startMiddleware, startWatchingGate } from './gate.ts'
import {
  type Surroundings,
  startLimitReq,
  startObjectLimiter,
  startProxyWith,
  startRateLimitBinding,
  startWorker,
} from './rivals.ts'

/** Variants that are loaded in turn with the same requests, and what each is measured against. */
export interface Group {
  readonly name: 'refuse' | 'admit' | 'session' | 'watched' | 'proxying'
  readonly openness: Surroundings['openness']
  readonly variants: readonly Variant[]
}

export interface Variant {
  readonly name: string
  /** The variant that its ratio is to. */
  readonly to: string
  readonly text: string
  readonly start: (around: Surroundings) => Promise<Server>
  /** What a user would pick instead. */
  readonly isRival?: true
  /** It needs nginx, which may not be there. */
  readonly nginx?: true
}

export const LOAD: Load = {
  path: '/products/42?from=front',
  headers: BROWSER_HEADERS,
  cookies: [],
  connections: 16,
}

const bareRefusal = (around: Surroundings) => startWorker('bare-refusal', around)
const bareProxy = (around: Surroundings) => startWorker('bare-proxy', around)
const honoRateLimiter = (around: Surroundings) => startWorker('hono-rate-limiter', around)

const RIVALS = [
  {
    name: 'doPerRequest',
    to: 'bare',
    isRival: true,
    text: 'a Durable Object asked for each request',
    start: startObjectLimiter,
  },
  {
    name: 'honoRateLimiter',
    to: 'bare',
    isRival: true,
    text: 'hono-rate-limiter, memory store',
    start: honoRateLimiter,
  },
  {
    name: 'rateLimitBinding',
    to: 'bare',
    isRival: true,
    text: 'the rate-limit binding, as Miniflare has it',
    start: startRateLimitBinding,
  },
  {
    name: 'nginx',
    to: 'bare',
    isRival: true,
    nginx: true,
    text: 'nginx limit_req',
    start: startLimitReq,
  },
] as const satisfies readonly Variant[]

const proxyWith = (name: string, text: string, parts: readonly string[] = [name]): Variant => ({
  name,
  to: 'bare',
  text,
  start: (around) => startProxyWith(parts, around),
})

/** What the parts of careful proxying cost, each by itself: what no gate can do without. */
export const PROXYING: Group = {
  name: 'proxying',
  openness: 'open',
  variants: [
    { name: 'bare', to: 'bare', text: 'bare proxy', start: bareProxy },
    { name: 'control', to: 'bare', text: 'the bare proxy once more', start: bareProxy },
    proxyWith('timed', '… that takes the time'),
    proxyWith('headers', '… that sets two X-Forwarded headers'),
    proxyWith('walk', '… and looks through the client’s headers', ['headers', 'walk']),
    proxyWith('clock', '… with a time-out'),
    proxyWith('signal', '… that heeds the client’s leaving'),
    proxyWith('background', '… that is waited for behind the answer'),
    proxyWith('cookie', '… that sets a cookie'),
  ],
}

export const GROUPS: readonly Group[] = [
  {
    name: 'refuse',
    openness: 'shut',
    variants: [
      { name: 'bare', to: 'bare', text: 'bare Worker, the same answer', start: bareRefusal },
      { name: 'control', to: 'bare', text: 'the bare Worker once more', start: bareRefusal },
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate',
        start: ({ origin }) => startGate(origin, 'shut'),
      },
      {
        name: 'emptyMiddleware',
        to: 'emptyMiddleware',
        text: 'Hono middleware, the same answer',
        start: (around) => startWorker('empty-middleware', around),
      },
      {
        name: 'middleware',
        to: 'emptyMiddleware',
        text: 'Tidegate as Hono middleware',
        start: ({ origin }) => startMiddleware(origin, 'shut'),
      },
      ...RIVALS,
    ],
  },
  {
    name: 'admit',
    openness: 'open',
    variants: [
      { name: 'bare', to: 'bare', text: 'bare proxy', start: bareProxy },
      { name: 'control', to: 'bare', text: 'the bare proxy once more', start: bareProxy },
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate, each request a new session',
        start: ({ origin }) => startGate(origin, 'open'),
      },
      ...RIVALS,
    ],
  },
  {
    name: 'session',
    openness: 'open',
    variants: [
      { name: 'bare', to: 'bare', text: 'bare proxy', start: bareProxy },
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate, known sessions',
        start: ({ origin }) => startGate(origin, 'open'),
      },
    ],
  },
  {
    name: 'watched',
    openness: 'open',
    variants: [
      {
        name: 'bare',
        to: 'bare',
        text: 'bare proxy that follows every last byte',
        start: (around) => startWorker('bare-watching-proxy', around),
      },
      {
        name: 'gate',
        to: 'bare',
        text: 'Tidegate, following every last byte',
        start: ({ origin }) => startWatchingGate(origin),
      },
    ],
  },
]
