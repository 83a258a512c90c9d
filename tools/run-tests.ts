import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startProcess } from './child.ts'
import { PACKAGE_ROOT } from './package-root.ts'

/**
 * `npm test`: the end-to-end tests beside all others, because they mostly wait and the others mostly compute. Vitest runs the
 * files of all projects in one queue, so each half is a process of its own. `npm test -- FILES…` runs Vitest on these files.
 */

const HALVES = [['node', 'workerd', 'floods'], ['e2e']].map((projects) =>
  projects.flatMap((project) => ['--project', project]),
)

const VITEST = join(PACKAGE_ROOT, 'node_modules/vitest/vitest.mjs')

const startVitest = (args: readonly string[], isShared: boolean): ChildProcess =>
  startProcess(process.execPath, [VITEST, 'run', ...args], {
    stdio: isShared ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env: { ...process.env, ...(isShared && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
  })

const exitCodeOf = async (child: ChildProcess): Promise<number> => {
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}

/** Prints the output of one half after the other: what the second one says meanwhile is held back. */
async function printInTurn(halves: readonly ChildProcess[]): Promise<readonly number[]> {
  const codes = halves.map(exitCodeOf)
  let before: Promise<unknown> = Promise.resolve()
  for (const [i, { stdout, stderr }] of halves.entries()) {
    const held: [NodeJS.WriteStream, Buffer][] = []
    let isTurn = false
    const print = (to: NodeJS.WriteStream) => (words: Buffer) =>
      void (isTurn ? to.write(words) : held.push([to, words]))
    stdout!.on('data', print(process.stdout))
    stderr!.on('data', print(process.stderr))
    before.then(() => {
      isTurn = true
      for (const [to, words] of held) to.write(words)
    })
    before = codes[i]!
  }
  return Promise.all(codes)
}

const given = process.argv.slice(2)
process.exitCode =
  given.length > 0
    ? await exitCodeOf(startVitest(given, false))
    : Math.max(...(await printInTurn(HALVES.map((args) => startVitest(args, true)))))
