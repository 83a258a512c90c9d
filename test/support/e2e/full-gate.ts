import { type LocalGate, startLocalGate } from '../../../tools/local-gate.ts'
import { send } from './client.ts'

/** A limit so small that no new visitor is admitted after the first burst, for the rest of a test. */
export const NEXT_TO_NOTHING = { name: 'fixed', limit: 0.001 } as const

/** Starts a gate and sends requests until one is refused: then the plan is in force and its burst is used up. */
export async function startFullGate(
  options: Parameters<typeof startLocalGate>[0],
  path: string,
): Promise<LocalGate> {
  const gate = await startLocalGate(options)
  await fill(gate, path)
  return gate
}

async function fill(gate: LocalGate, path: string): Promise<void> {
  const giveUpAt = performance.now() + 30_000
  while (performance.now() < giveUpAt) {
    const { status } = await send(`${gate.url}${path}`)
    if (status === 503 || status === 429) return
    // A new plan comes with the next report.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`No request to ${path} was refused within 30 s`)
}
