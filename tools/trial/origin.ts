import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { end, startProcess } from '../child.ts'
import type { FromOrigin, OriginArgument, OriginStats, ToOrigin } from './origin-messages.ts'

const PROCESS = fileURLToPath(new URL('origin-process.ts', import.meta.url))

interface TrialOrigin {
  readonly url: string
  /** The times of its changes count from now on. */
  start(): void
  stats(): Promise<OriginStats>
  close(): Promise<void>
}

export async function startOrigin(argument: OriginArgument): Promise<TrialOrigin> {
  const child = startProcess(process.execPath, [PROCESS, JSON.stringify(argument)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const next = async (): Promise<FromOrigin> => {
    const [message] = await Promise.race([
      once(child, 'message') as Promise<[FromOrigin]>,
      exited.then(() => Promise.reject(new Error('The origin of the trial has stopped'))),
    ])
    return message
  }
  const tell = (message: ToOrigin) => void child.send(message)
  const listening = await next()
  if (listening.kind !== 'listening') throw new Error('The origin of the trial did not start')
  return {
    url: listening.url,
    start: () => tell('start'),
    async stats() {
      tell('stats')
      const message = await next()
      if (message.kind !== 'stats') throw new Error('The origin of the trial sent no figures')
      return message.stats
    },
    close: () => end(child, 'SIGKILL'),
  }
}
