/** The transfer of a larger body takes time, and that time is the client's, not the origin's. */
const LARGE_BYTES = 65_536

export interface Upload {
  readonly body: ReadableStream
  /** Resolves when the origin has all of it; rejects when the client leaves before. */
  readonly sent: Promise<void>
  /** Drops what is not sent yet. */
  cut(): void
}

/** A body whose transfer takes time; null: it is small. */
export function largeUpload(given: ReadableStream, headers: Headers): Upload | null {
  const length = headers.get('Content-Length')
  if (length !== null && Number(length) <= LARGE_BYTES) return null
  const { readable, writable } = passThrough(headers)
  return {
    body: readable,
    // The stream stays open when the client leaves: the runtime might end a cut upload as if it were complete.
    sent: given.pipeTo(writable, { preventAbort: true }),
    cut: () => void writable.abort().catch(() => {}),
  }
}

/** Passes a body on. A known length goes along, so that the origin notices a body that was cut. */
function passThrough(headers: Headers): IdentityTransformStream {
  const length = headers.get('Content-Length')
  return length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
}
