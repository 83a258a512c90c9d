import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const RUN = fileURLToPath(new URL('../../tools/workerd/run.ts', import.meta.url))
const WORKER = 'export default { fetch() { return new Response("hello") } }'

/** A program with a workerd, as a benchmark or a trial is. It prints the process id of its workerd. */
const PROGRAM = `
import { startWorkerd } from ${JSON.stringify(RUN)}
const { pid } = await startWorkerd([{ name: 'one', code: ${JSON.stringify(WORKER)} }])
console.log(pid)
await new Promise(() => setInterval(() => {}, 1000))
`

async function startProgram(): Promise<{ child: ChildProcess; workerd: number }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: 'pipe' })
  for await (const line of createInterface({ input: child.stdout! }))
    return { child, workerd: Number(line) }
  throw new Error('The program did not start a workerd')
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** A benchmark that is interrupted ends its workerd. */
describe.concurrent('a program with a workerd', () => {
  it.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves no workerd behind when it gets %s',
    async (signal, { expect }) => {
      const { child, workerd } = await startProgram()
      expect(isRunning(workerd)).toBe(true)
      child.kill(signal)
      await expect.poll(() => isRunning(workerd)).toBe(false)
    },
  )
})
