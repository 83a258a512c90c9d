import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { childrenOf } from '../../bench/runtime/process.ts'
import { runTrial } from '../../tools/trial/run.ts'
import type { TrialCase } from '../../tools/trial/trial-case.ts'

const TRIAL = fileURLToPath(new URL('../../tools/trial.ts', import.meta.url))

/** A small origin that fails when too much is inside, and loses a server. */
const small: TrialCase = {
  name: 'small',
  text: '',
  seconds: 6,
  origin: {
    servers: 2,
    service: { law: 'constant', meanMs: 20 },
    room: 30,
    changes: [{ atS: 4, servers: 1 }],
  },
  targetMs: 500,
  crowd: {
    load: [
      { fromS: 0, load: 0.5 },
      { fromS: 2, load: 3 },
    ],
    pages: 2,
    thinkMs: 200,
    patienceMs: 1000,
  },
}

/** A process that has ended may still be listed until its parent has seen it. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('a trial', () => {
  it('runs an origin, the gate and a crowd, and counts what happened', async ({ expect }) => {
    const never = new AbortController().signal
    const names: string[] = []
    const result = await runTrial(
      small,
      { seed: 1, settleS: 1 },
      ({ name }) => void names.push(name),
      never,
    )
    expect(result).toMatchObject({ name: 'small', complete: true, capacityPerSecond: 100 })
    expect(result.bySecond).toHaveLength(6)
    expect(names).toContain('small')
    // In the calm seconds no answer is bad. Under load the origin serves, or answers with errors.
    expect(result.bySecond[1]).toMatchObject({ abandoned: 0, failed: 0 })
    expect(result.bySecond[1]!.inSla).toBeGreaterThan(10)
    const { served, turnedAway, mostInside } = result.origin
    expect(served).toBeGreaterThan(100)
    expect(mostInside).toBeLessThanOrEqual(30)
    expect(result.failures['HTTP 500'] ?? 0).toBe(turnedAway)
  })

  it('ends at once on SIGINT with what it has, and leaves no process behind', async ({
    expect,
  }) => {
    const child = spawn(process.execPath, [TRIAL, 'cold-start', '--json'], { stdio: 'pipe' })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    await once(child.stderr, 'data')
    const children = childrenOf(child.pid!)
    // The origin, workerd, and the bundler's process.
    expect(children.length).toBeGreaterThanOrEqual(2)
    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(130)
    expect(JSON.parse(text).results).toMatchObject([{ name: 'cold-start', complete: false }])
    await expect.poll(() => children.filter(isRunning)).toEqual([])
  })
})
