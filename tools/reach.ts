import type { Config } from '../src/config/config.ts'

/** What a first request to a server showed. */
export type Reached =
  | { readonly ok: true; readonly status: number; readonly ms: number }
  | { readonly ok: false; readonly cause: string }

const PATIENCE_MS = 3000

/** Asks every server of the configuration once. Any answer will do, also an error. */
export async function reachOrigins(config: Config): Promise<ReadonlyMap<string, Reached>> {
  const urls = new Set(
    config.routes.flatMap(({ origin }) => origin?.servers.map(({ url }) => url) ?? []),
  )
  const answers = await Promise.all([...urls].map(async (url) => [url, await reach(url)] as const))
  return new Map(answers)
}

async function reach(url: string): Promise<Reached> {
  const startMs = performance.now()
  try {
    const { status, body } = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    await body?.cancel()
    return { ok: true, status, ms: performance.now() - startMs }
  } catch (error) {
    return { ok: false, cause: causeOf(error) }
  }
}

/** `fetch` hides the reason behind "fetch failed". */
export function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: unknown }
  if (name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} s`
  if (!(cause instanceof Error)) return message
  const [first] = cause instanceof AggregateError ? cause.errors : [cause]
  const { message: reason, code } = first as NodeJS.ErrnoException
  return reason || code || message
}
