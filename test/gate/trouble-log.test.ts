import { describe, it } from 'vitest'
import { noRouteLine, TroubleLog, unreachableLine } from '../../src/gate/trouble-log.ts'

describe('the log of troubles', () => {
  it('says each trouble at most once a minute, with the number in between', ({ expect }) => {
    const lines: string[] = []
    const log = new TroubleLog((line) => lines.push(line))
    for (let nowMs = 0; nowMs < 120_000; nowMs += 1000) log.say('a', nowMs, () => `a at ${nowMs}`)
    log.say('b', 500, () => 'b')
    expect(lines).toEqual(['a at 0', 'a at 60000 (59 more since the last line)', 'b'])
  })

  it('says which origin cannot be reached, and why', ({ expect }) => {
    const cause = new Error('Network connection lost.')
    expect(unreachableLine('http://10.0.0.1', cause)).toBe(
      'Tidegate: the origin http://10.0.0.1 cannot be reached: Network connection lost.',
    )
  })

  it('says which request no route takes', ({ expect }) => {
    expect(noRouteLine('GET', 'shop.example', '/a')).toBe(
      'Tidegate: no route takes GET shop.example/a. It is answered with 404.',
    )
  })
})
