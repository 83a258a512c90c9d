import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { startLocalGate } from './local-gate.ts'

/** `npm run soak`: full load on the Worker in workerd for a long time. Memory and latency must stay as they are. */

const OPTIONS = {
  seconds: { standard: 600, most: 86_400, text: 'how long the load lasts' },
  connections: { standard: 64, most: 1000, text: 'connections of the load' },
  rate: {
    standard: 0,
    most: 100_000,
    text: 'most requests per second; 0: as many as there can be',
  },
} as const
/**
 * Without a bound V8 lets garbage lie for minutes, also that of a Worker that does nothing. The bound is below the 128 MB of an
 * isolate on the platform.
 */
const V8_FLAGS = ['--max-old-space-size=64', '--max-semi-space-size=1']
const SLICES = 20
const SERVICE_MS = 5
/** The first part of the time fills caches and compiles code. */
const WARM_UP_SLICES = 4
/** Memory grows by less than this part between the two middle values of four slices. */
const MOST_GROWTH = 0.1

interface LoadResult {
  readonly latency: { readonly p50: number; readonly p99: number }
  readonly requests: { readonly average: number }
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
  readonly errors: number
}

/** The package has no types. */
const autocannon = createRequire(import.meta.url)('autocannon') as (
  options: object,
) => Promise<LoadResult>

interface Slice {
  readonly mb: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly statuses: Readonly<Record<string, number>>
}

const WIDTHS = [8, 8, 12, 8, 8] as const

const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
    help: { type: 'boolean' },
  },
})

function numberOf(name: keyof typeof OPTIONS): number {
  const { standard, most } = OPTIONS[name]
  const given = (values as Record<string, unknown>)[name]
  const value = given === undefined ? standard : Number(given)
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  throw new RangeError(`--${name}: expected a whole number from 0 to ${most}, got "${given}"`)
}

if (values.help) {
  console.log('Full load for a long time: memory and latency at its start and end.\n')
  for (const name of names)
    console.log(`  --${name.padEnd(12)} ${OPTIONS[name].text} (${OPTIONS[name].standard})`)
} else await soak(numberOf('seconds'), numberOf('connections'), numberOf('rate'))

async function soak(seconds: number, connections: number, rate: number): Promise<void> {
  const origin = createServer((request, response) => {
    request.resume()
    setTimeout(() => response.end('page'), SERVICE_MS)
  })
  origin.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  const { port } = origin.address() as AddressInfo
  const route = {
    name: 'shop',
    match: '/*',
    origin: `http://127.0.0.1:${port}`,
    sla: { targetMs: 200 },
    classes: [
      { name: 'members', value: 5, match: { header: { 'X-Member': '1' } } },
      { name: 'visitors', value: 1 },
    ],
  }
  const silent = (): void => {}
  const config = { routes: [route], clientIp: 'none' }
  const gate = await startLocalGate({
    config,
    port: 0,
    v8Flags: V8_FLAGS,
    log: silent,
    errors: silent,
  })
  try {
    const slices: Slice[] = []
    for (let i = 0; i < SLICES; i++) {
      slices.push(await slice(gate.url, gate.pid, seconds / SLICES, connections, rate))
      if (i === 0) console.log(lineOf('', 'MB', 'requests/s', 'p50 ms', 'p99 ms', 'answers'))
      const { mb, perSecond, p50, p99, statuses } = slices.at(-1)!
      const at = `${Math.round(((i + 1) * seconds) / SLICES)} s`
      const figures = [mb, perSecond, p50, p99].map((value) => String(Math.round(value)))
      console.log(lineOf(at, ...figures, JSON.stringify(statuses)))
    }
    judge(slices)
  } finally {
    await gate.close()
    origin.closeAllConnections()
    origin.close()
  }
}

function judge(slices: readonly Slice[]): void {
  const counted = slices.slice(WARM_UP_SLICES)
  const part = Math.floor(counted.length / 4)
  const [start, end] = [counted.slice(0, part), counted.slice(-part)]
  const of = (some: readonly Slice[], key: 'mb' | 'p50' | 'p99'): number =>
    median(some.map((one) => one[key]))
  const growth = of(end, 'mb') / of(start, 'mb') - 1
  console.log(
    `\nAfter the warm-up: ${of(start, 'mb').toFixed(0)} MB, p50 ${of(start, 'p50')} ms, p99 ${of(start, 'p99')} ms.` +
      `\nAt the end:        ${of(end, 'mb').toFixed(0)} MB, p50 ${of(end, 'p50')} ms, p99 ${of(end, 'p99')} ms.` +
      `\nMemory ${growth < MOST_GROWTH ? 'is flat' : 'GROWS'}: ${(100 * growth).toFixed(1)} %.`,
  )
  const strange = slices.flatMap(({ statuses }) =>
    Object.keys(statuses).filter((status) => !['200', '503'].includes(status)),
  )
  if (strange.length > 0) console.log(`Strange answers: ${[...new Set(strange)].join(', ')}`)
  process.exitCode = growth < MOST_GROWTH && strange.length === 0 ? 0 : 1
}

/** New visitors with addresses of their own, members, sessions that come back, and cookies that are worth nothing. */
async function slice(
  url: string,
  pid: number,
  seconds: number,
  connections: number,
  rate: number,
): Promise<Slice> {
  const first = await fetch(`${url}/first`)
  const session = first.headers.getSetCookie().map((one) => one.split(';', 1)[0])
  await first.text()
  let count = 0
  const pathOf = (): string => `/item/${pid}-${Date.now()}-${count++}`
  const cookie = (text: string) => ({ headers: { cookie: text } })
  const kinds = [
    () => ({}),
    () => ({ headers: { 'x-member': '1' } }),
    () => cookie(session.join('; ')),
    () => cookie(`__Host-tidegate-shop=${count}.forged; tidegate-shop=${count}`),
  ]
  const result = await autocannon({
    ...{ url, connections, duration: seconds, timeout: 20 },
    ...(rate > 0 ? { overallRate: rate } : {}),
    requests: kinds.map((kind) => ({
      setupRequest: (request: object) => ({ ...request, path: pathOf(), ...kind() }),
    })),
  })
  const { latency, requests, statusCodeStats, errors } = result
  return {
    mb: residentMb(pid),
    perSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    statuses: {
      ...Object.fromEntries(
        Object.entries(statusCodeStats).map(([status, { count }]) => [status, count]),
      ),
      ...(errors > 0 ? { broken: errors } : {}),
    },
  }
}

function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / 1024
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function lineOf(...cells: readonly string[]): string {
  return cells.map((cell, i) => cell.padStart(WIDTHS[i] ?? 0)).join('  ')
}
