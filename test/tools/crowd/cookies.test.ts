import { describe, it } from 'vitest'
import { CookieJar } from '../../../tools/crowd/cookies.ts'

describe('a visitor’s cookies', () => {
  it('are sent back without their attributes', ({ expect }) => {
    const jar = new CookieJar()
    jar.store(['session=a=b.c; Path=/; HttpOnly', 'cart=3'])
    expect(jar.header).toBe('session=a=b.c; cart=3')
  })

  it('are replaced by name', ({ expect }) => {
    const jar = new CookieJar()
    jar.store('session=old; Max-Age=600')
    jar.store('session=new')
    expect(jar.header).toBe('session=new')
  })

  it('are deleted with Max-Age=0', ({ expect }) => {
    const jar = new CookieJar()
    jar.store('wait=later; Max-Age=10')
    jar.store('wait=; Path=/; max-age=0')
    expect(jar.header).toBeUndefined()
  })

  it('are ignored when they have no name', ({ expect }) => {
    const jar = new CookieJar()
    jar.store(['nonsense', '=x', ''])
    jar.store(undefined)
    expect(jar.header).toBeUndefined()
  })
})
