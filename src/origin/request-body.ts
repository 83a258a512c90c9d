import type { UploadRules } from '../config/config.ts'
import type { Background } from '../lib/runtime.ts'
import { UploadPace } from './upload-pace.ts'

/** A body up to this size is read before the request goes to the origin. */
export const SMALL_BYTES = 65_536

/** Why a body did not arrive. */
export type NoBody = 'slow-upload' | 'client-gone'

/** Does the request have a body, and is it small? A body of unknown length is large: it may be a stream. */
export function bodySizeOf(request: Request): 'none' | 'small' | 'large' {
  const length = request.headers.get('Content-Length')
  if (length === null) return request.body === null ? 'none' : 'large'
  if (Number(length) === 0) return 'none'
  return Number(length) <= SMALL_BYTES ? 'small' : 'large'
}

interface ReadingClock {
  readonly rules: UploadRules
  readonly background: Background
  now(): number
}

/**
 * Reads a small body. It ends early if the client is too slow or leaves. Memory is taken as bytes arrive, because a
 * client can announce a length and send nothing.
 */
export function readSmallBody(
  request: Request,
  { rules, background, now }: ReadingClock,
): Promise<Uint8Array<ArrayBuffer> | NoBody> {
  const pace = new UploadPace(rules, now())
  const reader = request.body!.getReader()
  const chunks: Uint8Array[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  let stop!: (why: NoBody) => void
  const stopped = new Promise<NoBody>((resolve) => {
    stop = resolve
  })
  const check = (): void => {
    const leftMs = pace.leftMs(now())
    if (leftMs > 0) timer = setTimeout(check, leftMs)
    else stop('slow-upload')
  }
  const onGone = (): void => stop('client-gone')
  const readAll = async (): Promise<Uint8Array<ArrayBuffer>> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return joined(chunks)
      chunks.push(value)
      pace.received(value.byteLength)
    }
  }
  const run = async (): Promise<Uint8Array<ArrayBuffer> | NoBody> => {
    check()
    request.signal.addEventListener('abort', onGone)
    try {
      const result = await Promise.race([readAll(), stopped])
      if (typeof result === 'string') void reader.cancel().catch(() => {})
      return result
    } catch {
      // A body that ends before its announced length cannot be read.
      return 'client-gone'
    } finally {
      if (timer !== null) clearTimeout(timer)
      request.signal.removeEventListener('abort', onGone)
    }
  }
  const reading = run()
  // When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it.
  background.waitUntil(reading)
  return reading
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
