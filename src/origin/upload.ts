/** More than this takes its time on the way, and that time is the client's, not the origin's. */
const LARGE_BYTES = 65_536

export interface Upload {
  readonly body: ReadableStream
  /** Resolves when the origin has all of it; rejects when the client leaves before. */
  readonly sent: Promise<void>
  /** Gives up what is not sent yet. */
  cut(): void
}

/** A body large enough for its way to count; null: it is there at once. */
export function largeUpload(given: ReadableStream, headers: Headers): Upload | null {
  const length = headers.get('Content-Length')
  if (length !== null && Number(length) <= LARGE_BYTES) return null
  const { readable, writable } = passThrough(headers)
  return {
    body: readable,
    // Left open when the client leaves: the runtime might end a cut upload as if it were whole.
    sent: given.pipeTo(writable, { preventAbort: true }),
    cut: () => void writable.abort().catch(() => {}),
  }
}

/** Hands on what comes. A known length goes along: the other side must see when a body was cut. */
export function passThrough(headers: Headers): IdentityTransformStream {
  const length = headers.get('Content-Length')
  return length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
}
