/** The transfer of a larger body takes time, and it depends on the client, not on the origin. */
const LARGE_BYTES = 65_536

export interface Upload {
  readonly body: ReadableStream
  /** Resolves when the origin has all of it; rejects if the client leaves before. */
  readonly sent: Promise<void>
  /** Drops what is not sent yet. */
  cut(): void
}

/** null: the body is small, so its transfer takes no time worth measuring. */
export function largeUpload(given: ReadableStream, headers: Headers): Upload | null {
  const length = headers.get('Content-Length')
  if (length !== null && Number(length) <= LARGE_BYTES) return null
  const { readable, writable } = passThrough(headers)
  return {
    body: readable,
    // The stream stays open when the client leaves, because the runtime might end a cut upload as if it were complete.
    sent: given.pipeTo(writable, { preventAbort: true }),
    cut: () => void writable.abort().catch(() => {}),
  }
}

/** Keeps a known length, so that the origin notices a body that was cut. */
function passThrough(headers: Headers): IdentityTransformStream {
  const length = headers.get('Content-Length')
  return length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
}
