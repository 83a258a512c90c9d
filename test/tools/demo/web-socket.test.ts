import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  acceptKey,
  closeFrame,
  echoOf,
  formatFrame,
  OPCODE,
  parseFrame,
} from '../../../tools/demo/web-socket.ts'

/** A frame as a client sends it. */
function masked(opcode: number, payload: Buffer, mask: readonly number[], final = true): Buffer {
  const plain = formatFrame({ final, opcode, payload })
  const header = Buffer.from(plain.subarray(0, plain.length - payload.length))
  header[1]! |= 0x80
  const body = payload.map((byte, i) => byte ^ mask[i % 4]!)
  return Buffer.concat([header, Buffer.from(mask), body])
}

const anyMask = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
const anyPayload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

describe('WebSocket frames (RFC 6455)', () => {
  it('accepts the key of §1.3 as the RFC says', ({ expect }) => {
    expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  })

  it('reads the masked "Hello" of §5.7', ({ expect }) => {
    const bytes = Buffer.from('818537fa213d7f9f4d5158', 'hex')
    expect(parseFrame(bytes)).toEqual({
      kind: 'frame',
      frame: { final: true, opcode: 1, payload: Buffer.from('Hello') },
      rest: Buffer.alloc(0),
    })
  })

  it('writes the unmasked "Hello" of §5.7', ({ expect }) => {
    const frame = { final: true, opcode: 1, payload: Buffer.from('Hello') }
    expect(formatFrame(frame).toString('hex')).toBe('810548656c6c6f')
  })

  it('reads any frame whole, waits for any part of one, and keeps what follows', ({ expect }) => {
    fc.assert(
      fc.property(anyPayload, anyMask, fc.boolean(), fc.nat(400), (payload, mask, final, cut) => {
        const bytes = masked(2, payload, mask, final)
        const parsed = parseFrame(Buffer.concat([bytes, Buffer.from('next')]))
        expect(parsed).toEqual({
          kind: 'frame',
          frame: { final, opcode: 2, payload },
          rest: Buffer.from('next'),
        })
        expect(parseFrame(bytes.subarray(0, cut % bytes.length))).toEqual({ kind: 'more' })
      }),
    )
  })

  it('breaks off unmasked frames and those of 64 KB and more', ({ expect }) => {
    const unmasked = formatFrame({ final: true, opcode: 1, payload: Buffer.from('x') })
    expect(parseFrame(unmasked)).toEqual({ kind: 'broken', code: 1002 })
    expect(parseFrame(Buffer.from([0x81, 0xff]))).toEqual({ kind: 'broken', code: 1009 })
  })

  it('echoes text and close, answers a ping with a pong and a pong with nothing', ({ expect }) => {
    const text = { final: true, opcode: 1, payload: Buffer.from('x') }
    expect(echoOf(text)).toEqual(text)
    expect(echoOf(closeFrame(1000))).toEqual(closeFrame(1000))
    expect(echoOf({ ...text, opcode: OPCODE.ping })).toEqual({ ...text, opcode: OPCODE.pong })
    expect(echoOf({ ...text, opcode: OPCODE.pong })).toBeNull()
  })
})
