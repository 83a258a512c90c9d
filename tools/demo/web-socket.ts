import { createHash } from 'node:crypto'

/** As much of RFC 6455 as an echo needs: the handshake, and whole frames in and out. */

/** §1.3: what a server hashes with the client's key. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export const OPCODE = { close: 8, ping: 9, pong: 10 } as const

interface Frame {
  readonly final: boolean
  readonly opcode: number
  readonly payload: Buffer
}

type Parsed =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly rest: Buffer }
  | { readonly kind: 'more' }
  /** The status code to close with (§7.4.1). */
  | { readonly kind: 'broken'; readonly code: 1002 | 1009 }

export function acceptKey(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64')
}

/** §5.2: the first frame of what a client sent. Clients always mask (§5.1). */
export function parseFrame(bytes: Buffer): Parsed {
  if (bytes.length < 2) return { kind: 'more' }
  const [first, second] = [bytes[0]!, bytes[1]!]
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return { kind: 'broken', code: 1002 }
  const short = second & 0x7f
  if (short === 127) return { kind: 'broken', code: 1009 }
  const maskAt = short === 126 ? 4 : 2
  if (bytes.length < maskAt + 4) return { kind: 'more' }
  const length = short === 126 ? bytes.readUInt16BE(2) : short
  const from = maskAt + 4
  if (bytes.length < from + length) return { kind: 'more' }
  const payload = Buffer.from(bytes.subarray(from, from + length))
  for (let i = 0; i < length; i++) payload[i]! ^= bytes[maskAt + (i % 4)]!
  const frame = { final: (first & 0x80) !== 0, opcode: first & 0x0f, payload }
  return { kind: 'frame', frame, rest: bytes.subarray(from + length) }
}

/** §5.2 without a mask, as servers send. */
export function formatFrame({ final, opcode, payload }: Frame): Buffer {
  const first = (final ? 0x80 : 0) | opcode
  const header =
    payload.length < 126
      ? Buffer.from([first, payload.length])
      : Buffer.from([first, 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([header, payload])
}

export function closeFrame(code: number): Frame {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return { final: true, opcode: OPCODE.close, payload }
}

/** What an echo says to a frame: the same again, but a pong to a ping and nothing to a pong. */
export function echoOf(frame: Frame): Frame | null {
  if (frame.opcode === OPCODE.pong) return null
  return frame.opcode === OPCODE.ping ? { ...frame, opcode: OPCODE.pong } : frame
}
