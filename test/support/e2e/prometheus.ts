import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalGate } from '../../../tools/local-gate.ts'

/** Is the program installed? Its tests are skipped where it is not, but never in CI. */
export function hasProgram(name: 'prometheus' | 'promtool'): boolean {
  if (process.env.CI) return true
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn(`${name} is not installed: its tests are skipped (Debian package prometheus).`)
    return false
  }
}

/** A Prometheus that scrapes the gate every second. */
export async function startPrometheus(gate: Pick<LocalGate, 'url' | 'adminToken'>) {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-prometheus-'))
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s' },
      scrape_configs: [
        {
          job_name: 'tidegate',
          metrics_path: '/_tidegate/metrics',
          authorization: { credentials: gate.adminToken },
          static_configs: [{ targets: [new URL(gate.url).host] }],
        },
      ],
    }),
  )
  const program = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => program.once('exit', resolve))
  return {
    /** The value of the first result; null: there is none yet. */
    async query(expression: string): Promise<number | null> {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`
      const response = await fetch(url).catch(() => null)
      if (!response?.ok) return null
      const { data } = (await response.json()) as {
        data: { result: { value: [number, string] }[] }
      }
      return data.result[0] === undefined ? null : Number(data.result[0].value[1])
    },
    async close(): Promise<void> {
      program.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
