import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** Long answers that do not occupy a server of the shop. */

export const DOWNLOAD_CHUNK_BYTES = 16_384
export const DOWNLOAD_CHUNKS = 50
const DOWNLOAD_PAUSE_MS = 100
const EVENT_PAUSE_MS = 1000

/** 800 KB in five seconds. */
export async function sendDownload(response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Length': DOWNLOAD_CHUNK_BYTES * DOWNLOAD_CHUNKS,
    'Content-Disposition': 'attachment; filename="tide-tables.bin"',
    'Cache-Control': 'no-store',
  })
  await send(downloadChunks(), response)
}

/** One server-sent event per second while the client listens. */
export async function sendEvents(response: ServerResponse, stats: () => unknown): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  await send(events(stats), response)
}

async function send(chunks: AsyncIterable<unknown>, response: ServerResponse): Promise<void> {
  // The chunks never fail. Only the connection can fail, and then there is no client to tell.
  await pipeline(Readable.from(chunks), response).catch(() => undefined)
}

async function* downloadChunks(): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(DOWNLOAD_CHUNK_BYTES, '~')
  for (let i = 0; i < DOWNLOAD_CHUNKS; i++) {
    if (i > 0) await pause(DOWNLOAD_PAUSE_MS, undefined, { ref: false })
    yield chunk
  }
}

async function* events(stats: () => unknown): AsyncGenerator<string> {
  for (;;) {
    yield `data: ${JSON.stringify(stats())}\n\n`
    await pause(EVENT_PAUSE_MS, undefined, { ref: false })
  }
}
