import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { on } from '../runtime/cores.ts'
import type { Load, Slice } from './load.ts'

/** More than any slice: wrk takes whole seconds, so a signal ends the slice. */
const LONGEST_S = '60'

/** One thread: on two cores a second one would use the core of the server. */
export function wrkSlices(script: string, load: Load): (url: string, ms: number) => Promise<Slice> {
  writeFileSync(script, luaScript(load))
  return async (url, ms) => {
    const args = ['-t1', `-c${load.connections}`, '-d', LONGEST_S, '-s', script, url]
    for (;;) {
      const text = await interrupted('wrk', args, ms)
      // On a busy machine the signal may come before wrk is ready for it.
      if (text !== null) return readWrk(text)
    }
  }
}

/** Runs a program for some time and then signals it to end; null: the signal killed it before it could print. */
async function interrupted(
  program: string,
  args: readonly string[],
  ms: number,
): Promise<string | null> {
  const child = spawn(...on('others', program, args), { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  const closed = once(child, 'close')
  await sleep(ms)
  child.kill('SIGINT')
  await closed
  return child.signalCode === null ? text : null
}

/**
 * The requests, each formatted once before the first is sent. The script prints the last line itself, because wrk
 * rounds its own figures.
 */
export function luaScript({ headers, requests }: Load): string {
  const fields = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  )
  return `${fields.join('\n')}
local paths = { ${requests.map(({ path }) => quote(path)).join(', ')} }
local cookies = { ${requests.map(({ cookie }) => quote(cookie)).join(', ')} }
local requests = {}
local turn = 0
function init(args)
  for i, path in ipairs(paths) do
    wrk.headers["Cookie"] = cookies[i]
    requests[i] = wrk.format("GET", path)
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("\\ncounted %d %d %d %d\\n", summary.requests, summary.duration, e.status, e.connect + e.read + e.write + e.timeout))
end
`
}

/** For the characters of a header, Lua and JSON have the same escapes. */
const quote = (text: string): string => JSON.stringify(text)

/** `counted requests microseconds not-2xx-or-3xx broken` */
export function readWrk(text: string): Slice {
  const found = /^counted (\d+) (\d+) (\d+) (\d+)$/m.exec(text)
  if (!found) throw new Error(`wrk said nothing that could be read:\n${text}`)
  const [requests = 0, us = 0, unsuccessful = 0, broken = 0] = found.slice(1).map(Number)
  return { requests, ms: us / 1000, unsuccessful, broken }
}
