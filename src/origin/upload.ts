import type { UploadRules } from '../config/config.ts'
import { UploadPace } from './upload-pace.ts'

/** How much is read at once. */
const CHUNK_BYTES = 65_536

/** Why an upload ended before its last byte: the client was too slow or left, or the origin did not take it. */
export type UploadFault = 'slow-upload' | 'client-gone' | 'too-slow'

/** A large body on its way to the origin. */
export interface Upload {
  readonly body: ReadableStream
  /** Resolves with null when the origin has all of it, otherwise with the fault. Never rejects. */
  readonly sent: Promise<UploadFault | null>
  /** The client's pace no longer matters, because the origin has answered. */
  unwatch(): void
  /** Drops what is not sent yet. */
  cut(): void
}

interface UploadClock {
  readonly rules: UploadRules
  /** The origin must take each piece within this time. */
  readonly timeoutMs: number
  now(): number
}

export function startUpload(
  given: ReadableStream,
  headers: Headers,
  { rules, timeoutMs, now }: UploadClock,
): Upload {
  const { readable, writable } = passThrough(headers)
  const reader = given.getReader({ mode: 'byob' })
  const writer = writable.getWriter()
  const pace = new UploadPace(rules, now())
  let heldSinceMs = Number.NaN
  let timer: ReturnType<typeof setTimeout> | null = null
  let end!: (fault: UploadFault | null) => void
  const sent = new Promise<UploadFault | null>((resolve) => {
    end = resolve
  })
  const unwatch = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }
  const over = (fault: UploadFault | null): void => {
    unwatch()
    end(fault)
  }
  const check = (): void => {
    const nowMs = now()
    const leftMs = pace.leftMs(nowMs)
    const originLeftMs = Number.isNaN(heldSinceMs) ? timeoutMs : heldSinceMs + timeoutMs - nowMs
    if (originLeftMs <= 0) over('too-slow')
    else if (leftMs <= 0) over('slow-upload')
    else timer = setTimeout(check, Math.min(leftMs, originLeftMs))
  }
  /** Passes one piece on. False: there is no more. */
  const pass = async (): Promise<boolean> => {
    const piece = await reader.read(new Uint8Array(CHUNK_BYTES)).catch(() => null)
    // The stream to the origin stays open, because the runtime might end a cut upload as if it were complete.
    if (piece === null) throw over('client-gone')
    if (piece.done) return false
    pace.received(piece.value.byteLength)
    heldSinceMs = now()
    pace.hold(heldSinceMs)
    await writer.write(piece.value)
    heldSinceMs = Number.NaN
    pace.resume(now())
    return true
  }
  const pump = async (): Promise<void> => {
    while (await pass());
    await writer.close()
    over(null)
  }
  check()
  // If the origin takes no more, its answer or the failure of the request tells why.
  pump().catch(unwatch)
  return {
    body: readable,
    sent,
    unwatch,
    cut: () => {
      unwatch()
      void writer.abort().catch(() => {})
      void reader.cancel().catch(() => {})
    },
  }
}

/** Keeps a known length, so that the origin notices a body that was cut. */
function passThrough(headers: Headers): IdentityTransformStream {
  const length = headers.get('Content-Length')
  return length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
}
