import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test as base, describe } from 'vitest'
import { type DemoOrigin, startDemoOrigin } from '../../tools/demo-origin.ts'
import { answers, drain, readStats } from '../../tools/flood/demo-stats.ts'
import type { Figures } from '../../tools/flood/page-counts.ts'
import { type RunOptions, runFlood } from '../../tools/flood/run.ts'
import { startOrigin } from '../support/e2e/origin.ts'

const run = promisify(execFile)
const flood = (...args: string[]) => run(process.execPath, ['tools/flood.ts', ...args])
const never = new AbortController().signal
const silent = () => {}

const it = base.extend<{ origin: DemoOrigin }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest wants a fixture's first parameter destructured
  origin: async ({}, use) => {
    const origin = await startDemoOrigin({ port: 0, servers: 2, meanServiceMs: 20 })
    await use(origin)
    await origin.close()
  },
})

const options = (origin: DemoOrigin): RunOptions => ({
  name: 'direct',
  target: origin.url,
  capacityPerSecond: origin.capacityPerSecond,
  surge: 10,
  seconds: 3,
  slaMs: 200,
  thinkMs: 50,
  patienceMs: 600,
  seed: 1,
  retry: false,
  mostSockets: 4000,
})

describe('a flood of the demo origin', () => {
  it('at ten times its capacity serves less than 0.3 of it within the SLA', async ({
    expect,
    origin,
  }) => {
    let seen = 0
    const report = await runFlood(
      options(origin),
      ({ totals }) => (seen = totals.surge.sent),
      never,
    )
    expect(report.complete).toBe(true)
    expect(report.share).toBeLessThan(0.3)
    expect(report.calm.totals.inSla).toBeGreaterThan(0)
    expect(report.totals.abandoned).toBeGreaterThan(report.totals.inSla)
    expect(report.totals).toMatchObject({ failed: 0, refused: 0, dropped: 0, unfinished: 0 })
    // 2.4 s at 10 × 100/s; walks and arrivals vary with a standard deviation of 7 %.
    expect(Math.abs(report.totals.offered / 2400 - 1)).toBeLessThan(0.28)
    expect(seen).toBeGreaterThan(0)
    expect(origin.stats().wasted).toBeGreaterThan(0)
  })

  it('serves everything within the SLA at half its capacity', async ({ expect, origin }) => {
    const report = await runFlood({ ...options(origin), surge: 0.5, seconds: 2 }, silent, never)
    const { sent, inSla, late } = report.totals
    expect(inSla + late).toBe(sent)
    expect(inSla).toBeGreaterThan(0.8 * sent)
  })

  it('works for any site: every answer with 2xx to one of its paths is a page', async ({
    expect,
  }) => {
    const asked: string[] = []
    const site = await startOrigin(({ url }, response) => {
      asked.push(url!)
      response.writeHead(url === '/missing' ? 404 : 204).end()
    })
    try {
      const { stdout } = await flood(
        ...['--target', site.url, '--origin', 'http://127.0.0.1:9', '--rate', '50', '--surge', '1'],
        ...['--seconds', '1', '--think-ms', '10', '--paths', '/news,/missing', '--json'],
      )
      const [{ totals }] = (JSON.parse(stdout) as { runs: [{ totals: Figures }] }).runs
      expect(totals.inSla).toBeGreaterThan(0)
      expect(totals.failed).toBeGreaterThan(0)
      expect(new Set(asked)).toEqual(new Set(['/news', '/missing', '/health']))
    } finally {
      await site.close()
    }
  })

  it('stops at once when it is interrupted, and keeps its measurements', async ({
    expect,
    origin,
  }) => {
    const interrupt = new AbortController()
    const report = await runFlood(
      { ...options(origin), seconds: 60 },
      ({ totals }) => totals.calm.inSla > 0 && interrupt.abort(),
      interrupt.signal,
    )
    expect(report).toMatchObject({ complete: false, share: null })
    expect(report.calm.totals.inSla).toBeGreaterThan(0)
    expect(report.calm.totals.failed).toBe(0)
  })

  it('opens no more sockets than allowed, and counts requests that it does not send', async ({
    expect,
    origin,
  }) => {
    const few = { ...options(origin), seconds: 1, mostSockets: 5 }
    const { totals } = await runFlood(few, silent, never)
    expect(totals.dropped).toBeGreaterThan(0)
    expect(origin.stats().queueLength).toBeLessThanOrEqual(5)
    expect(totals.failed).toBe(0)
  })
})

describe('between two floods', () => {
  it('waits until the origin is idle', async ({ expect, origin }) => {
    const asked = Promise.all(Array.from({ length: 60 }, () => fetch(origin.url)))
    while (origin.stats().queueLength < 10) await new Promise(setImmediate)
    expect(await drain(origin.url, 10_000, never)).toEqual({ kind: 'drained' })
    expect(origin.stats()).toMatchObject({ queueLength: 0, inFlight: 0 })
    await asked
  })

  it('restarts an origin that would take too long', async ({ expect, origin }) => {
    const asked = Promise.allSettled(Array.from({ length: 150 }, () => fetch(origin.url)))
    while (origin.stats().queueLength < 40) await new Promise(setImmediate)
    const { kind } = await drain(origin.url, 0, never)
    expect(kind).toBe('restarted')
    expect(origin.stats()).toMatchObject({ queueLength: 0, inFlight: 0 })
    await asked
  })

  it('recognises a demo origin', async ({ expect, origin }) => {
    expect((await readStats(origin.url))?.capacityPerSecond).toBe(100)
    expect(await answers(origin.url)).toBe(true)
    await origin.close()
    expect(await readStats(origin.url)).toBeNull()
    expect(await answers(origin.url)).toBe(false)
  })
})

describe('npm run flood', () => {
  it('rejects any target except this machine, with exit code 1', async ({ expect }) => {
    const refused = flood('--target', 'http://example.com')
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--target: only this machine may be flooded'),
    })
  })

  it('says what to start if there is no origin', async ({ expect, origin }) => {
    await origin.close()
    await expect(flood('--origin', origin.url)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `there is no demo origin at ${origin.url}. Start one with \`npm start\``,
      ),
    })
  })

  it('prints its runs as JSON', async ({ expect, origin }) => {
    const { stdout } = await flood(
      ...['--json', '--target', origin.url, '--origin', origin.url],
      ...['--seconds', '1', '--surge', '1', '--patience-ms', '200'],
    )
    const { runs } = JSON.parse(stdout)
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ name: 'direct', capacityPerSecond: 100, complete: true })
  })
})
