import { describe, it } from 'vitest'
import { readWork } from '../../bench/runtime/callgrind.ts'

const DUMP = `version: 1
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
fn=(1) main
16 400 1 2 3
summary: 9 9 9 9 9 9 9 9 9
totals: 1000 300 200 5 4 3 2 1 1
`

describe('what callgrind has counted', () => {
  it('is instructions, and cycles with 10 for a miss in the first cache and 100 in the last', ({
    expect,
  }) => {
    expect(readWork(DUMP)).toEqual({ instructions: 1000, cycles: 1000 + 10 * 12 + 100 * 4 })
  })

  it('stands in the summary where there are no totals', ({ expect }) => {
    expect(readWork(DUMP.replace(/^totals.*\n/m, '')).instructions).toBe(9)
  })

  it('is nothing where the dump is cut off', ({ expect }) => {
    expect(() => readWork('version: 1\n')).toThrow('could be read')
  })
})
