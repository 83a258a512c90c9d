import { describe, it } from 'vitest'
import { sliceOf } from '../../../tools/demo/assets.ts'

describe('ranges of bytes (RFC 9110, §14.1.2, for a body of 1000 bytes)', () => {
  it('reads first-last, first-, and -suffix', ({ expect }) => {
    expect(sliceOf('bytes=0-499', 1000)).toEqual({ status: 206, from: 0, to: 499 })
    expect(sliceOf('bytes=500-', 1000)).toEqual({ status: 206, from: 500, to: 999 })
    expect(sliceOf('bytes=-10', 1000)).toEqual({ status: 206, from: 990, to: 999 })
  })

  it('ends where the body ends', ({ expect }) => {
    expect(sliceOf('bytes=990-5000', 1000)).toEqual({ status: 206, from: 990, to: 999 })
    expect(sliceOf('bytes=-5000', 1000)).toEqual({ status: 206, from: 0, to: 999 })
  })

  it('is not satisfiable past the end', ({ expect }) => {
    expect(sliceOf('bytes=1000-', 1000)).toEqual({ status: 416 })
    expect(sliceOf('bytes=-0', 1000)).toEqual({ status: 416 })
  })

  it('is ignored in any other form', ({ expect }) => {
    for (const range of [undefined, '', 'bytes=-', 'bytes=9-3', 'lines=1-2', 'bytes=0-1,3-4'])
      expect(sliceOf(range, 1000)).toEqual({ status: 200 })
  })
})
