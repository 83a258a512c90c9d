import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ServerLoads } from '../../src/origin/server-loads.ts'

const SERVERS = ['a', 'b', 'c', 'd'].map((url) => ({ url, weight: 1 }))
/** Draws that take turns. */
const turns = (): (() => string) => {
  let turn = 0
  return () => SERVERS[turn++ % SERVERS.length]!.url
}

describe('the least loaded server (Wydrowski et al. 2024)', () => {
  it('is always one of the pool, whatever was seen', ({ expect }) => {
    const event = fc.record({
      server: fc.integer({ min: 0, max: 3 }),
      ends: fc.boolean(),
      ms: fc.option(fc.integer({ min: 0, max: 60_000 })),
    })
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const loads = new ServerLoads()
        for (const [i, { server, ends, ms }] of events.entries())
          if (ends) loads.end(SERVERS[server]!.url, ms, i + 1)
          else loads.begin(SERVERS[server]!.url)
        const chosen = loads.choose(SERVERS, turns(), events.length + 1)
        expect(SERVERS.map(({ url }) => url)).toContain(chosen)
      }),
    )
  })

  it('is not the one with the most requests in flight', ({ expect }) => {
    const loads = new ServerLoads()
    for (let i = 0; i < 8; i++) loads.begin('a')
    for (const { url } of SERVERS) loads.begin(url)
    expect(loads.choose(SERVERS, turns(), 1)).not.toBe('a')
  })

  it('is the fastest of those that are not hot', ({ expect }) => {
    const loads = new ServerLoads()
    for (const [i, { url }] of SERVERS.entries()) {
      for (let n = 0; n < 3; n++) loads.begin(url)
      loads.end(url, 100 * (i + 1), 1)
    }
    loads.begin('d')
    expect(loads.choose(SERVERS, turns(), 1)).toBe('a')
  })

  it('may be a server that was slow long ago: what is known fades', ({ expect }) => {
    const loads = new ServerLoads()
    for (const { url } of SERVERS) loads.begin(url)
    for (const { url } of SERVERS) loads.end(url, url === 'a' ? 1000 : 100, 1)
    for (const url of ['b', 'c', 'd']) for (let n = 0; n < 4; n++) loads.begin(url)
    expect(loads.choose(SERVERS, turns(), 60_000)).toBe('a')
  })

  it('forgets requests that the runtime ended without a word', ({ expect }) => {
    const loads = new ServerLoads()
    for (let i = 0; i < 50; i++) loads.begin('a')
    loads.correct(0)
    for (const url of ['b', 'c', 'd']) for (let n = 0; n < 4; n++) loads.begin(url)
    expect(loads.choose(SERVERS, turns(), 1)).toBe('a')
  })
})
