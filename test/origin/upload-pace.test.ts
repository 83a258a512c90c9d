import fc from 'fast-check'
import { describe, it } from 'vitest'
import { OpenUploads } from '../../src/origin/open-uploads.ts'
import { GRACE_MS, UploadPace } from '../../src/origin/upload-pace.ts'

const RULES = { minBytesPerS: 500, maxMs: 900_000, maxOpen: 8 }
const START = 5000

describe('the pace of an upload', () => {
  it('does not matter for the first 20 s', ({ expect }) => {
    const pace = new UploadPace(RULES, START)
    expect(pace.leftMs(START)).toBe(GRACE_MS)
    expect(pace.leftMs(START + 19_999)).toBe(1)
    expect(pace.leftMs(START + 20_000)).toBe(0)
  })

  it('after that is at least the configured rate, on average', ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (bytesPerS) => {
        const pace = new UploadPace(RULES, START)
        for (let second = 1; second <= 100; second++) pace.received(bytesPerS)
        const left = pace.leftMs(START + 100_000)
        expect(left > 0).toBe(20 + (100 * bytesPerS) / 500 > 100)
      }),
    )
  })

  it('does not count the time in which the client waits for the origin', ({ expect }) => {
    const pace = new UploadPace(RULES, START)
    pace.hold(START + 1000)
    expect(pace.leftMs(START + 60_000)).toBe(GRACE_MS - 1000)
    pace.resume(START + 60_000)
    expect(pace.leftMs(START + 61_000)).toBe(GRACE_MS - 2000)
  })

  it('ends at the longest time, however fast the client is', ({ expect }) => {
    const pace = new UploadPace(RULES, START)
    pace.received(1e12)
    expect(pace.leftMs(START + 899_999)).toBe(1)
    expect(pace.leftMs(START + 900_000)).toBe(0)
  })
})

describe('open uploads', () => {
  it('are at most as many as the route allows, of which one client has at most a quarter', ({
    expect,
  }) => {
    const uploads = new OpenUploads(RULES)
    const close = [uploads.open(1), uploads.open(1)]
    expect(uploads.hasRoom(1)).toBe(false)
    expect(uploads.hasRoom(2)).toBe(true)
    for (let client = 2; client < 8; client++) uploads.open(client)
    expect(uploads.hasRoom(9)).toBe(false)
    expect(uploads.hasRoom(null)).toBe(false)
    close[0]!()
    close[0]!()
    expect(uploads.size).toBe(7)
    expect(uploads.hasRoom(1)).toBe(true)
  })
})
