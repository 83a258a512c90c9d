import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, it } from 'vitest'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import { Signer } from '../../src/lib/signer.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { cookieOf, routeOf, SECRET } from '../support/requests.ts'

const NOW = 1_800_000_000_000
const COOKIES = 1000
const HEADER_BYTES = 60_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The heap that stays in use after this many cookies were read, each from a large header of its own. */
function keptBytes(read: (header: string) => void, cookies: readonly string[]): number {
  const padding = 'x'.repeat(HEADER_BYTES)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  // Joined and cut, so that it is one text of its own, as a header is.
  for (const [i, cookie] of cookies.entries())
    read(Buffer.from(`pad=${i}${padding}; ${cookie}`).toString('latin1'))
  collectGarbage()
  return process.memoryUsage().heapUsed - before
}

const signer = new Signer({ current: SECRET, previous: null })
const route = routeOf()

describe('cookies that an isolate remembers', () => {
  it('do not keep the whole header: session cookies', ({ expect }) => {
    const write = new SessionCookies(route, signer, new FakeRuntime())
    const cookies = Array.from({ length: COOKIES }, (_, i) =>
      cookieOf(write.begin(`class-${i}`, NOW, true)),
    )
    const reader = new SessionCookies(route, signer, new FakeRuntime())
    const read = (header: string) => {
      if (reader.read(header, NOW, true) === null) throw new Error('The session is not valid')
    }
    expect(keptBytes(read, cookies)).toBeLessThan(5_000_000)
    expect(reader.read(cookies[0]!, NOW, true)).not.toBeNull()
  })

  it('do not keep the whole header: retry cookies', ({ expect }) => {
    const write = new RetryCookies(route, signer)
    const cookies = Array.from({ length: COOKIES }, (_, i) =>
      cookieOf(write.write(10 + i, NOW, true)),
    )
    const reader = new RetryCookies(route, signer)
    const read = (header: string) => {
      if (reader.waitS(header, NOW, true) === 0) throw new Error('The cookie is not valid')
    }
    expect(keptBytes(read, cookies)).toBeLessThan(5_000_000)
    expect(reader.waitS(cookies[0]!, NOW, true)).toBe(10)
  })
})
