import fc from 'fast-check'
import { describe, it } from 'vitest'
import { splitUrl } from '../../src/request/url.ts'

const pathOf = (path: string): string => splitUrl(`https://shop.example.com${path}`).path

describe('the parts of a URL', () => {
  it('are scheme, host, path, query, and the path and query as sent', ({ expect }) => {
    expect(splitUrl('https://shop.example.com:8443/a/b?c=d&e')).toEqual({
      isSecure: true,
      authority: 'shop.example.com:8443',
      host: 'shop.example.com',
      path: '/a/b',
      readings: ['/a/b'],
      target: '/a/b?c=d&e',
      query: 'c=d&e',
    })
  })

  it('have defaults without a path, and without a query', ({ expect }) => {
    expect(splitUrl('http://shop.example.com')).toEqual({
      isSecure: false,
      authority: 'shop.example.com',
      host: 'shop.example.com',
      path: '/',
      readings: ['/'],
      target: '/',
      query: '',
    })
    expect(splitUrl('https://shop.example.com?a=/b')).toMatchObject({
      host: 'shop.example.com',
      path: '/',
      query: 'a=/b',
    })
  })

  it('keep a question mark and slashes inside the query', ({ expect }) => {
    expect(splitUrl('http://a/b?c=/d/../?e')).toMatchObject({ path: '/b', query: 'c=/d/../?e' })
  })

  it('leave out what follows a "#"', ({ expect }) => {
    expect(splitUrl('https://a/checkout#x')).toMatchObject({
      path: '/checkout',
      target: '/checkout',
    })
    expect(splitUrl('https://a/checkout?b=c#x?y')).toMatchObject({
      path: '/checkout',
      query: 'b=c',
      target: '/checkout?b=c',
    })
  })
})

describe('URLs one after another', () => {
  it('have each its own parts, whatever the URL before was', ({ expect }) => {
    const urls = [
      'http://a/b',
      'https://a/b',
      'http://a.b/b',
      'http://a/b?c',
      'http://a',
      'http://ab/',
    ]
    const alone = urls.map((url) => ({ ...splitUrl(url) }))
    for (const [i, first] of urls.entries())
      for (const second of urls) {
        splitUrl(second)
        expect(splitUrl(first)).toEqual(alone[i])
      }
    expect(alone.map(({ authority, target }) => authority + target)).toEqual([
      ...['a/b', 'a/b', 'a.b/b', 'a/b?c', 'a/', 'ab/'],
    ])
  })
})

describe('the host of a URL', () => {
  it('has no port, is in lower case, and has no dot at its end', ({ expect }) => {
    for (const authority of [
      'SHOP.Example.com',
      'shop.example.com:8443',
      'shop.example.com.',
      'shop.example.com.:8443',
    ])
      expect(splitUrl(`https://${authority}/a`).host, authority).toBe('shop.example.com')
  })

  it('keeps the colons of an IPv6 address', ({ expect }) => {
    expect(splitUrl('http://[2001:DB8::1]:8787/').host).toBe('[2001:db8::1]')
    expect(splitUrl('http://[::1]/').host).toBe('[::1]')
  })
})

describe('the normalised path', () => {
  const CHECKOUT = [
    '/checkout',
    '//checkout',
    '///checkout',
    '/./checkout',
    '/a/../checkout',
    '/a/b/../../checkout',
    '/../checkout',
    '/%63heckout',
    '/%63%68eckout',
    '/%2e/checkout',
    '/a/%2E%2e/checkout',
  ]
  for (const spelling of CHECKOUT)
    it(`is /checkout in any spelling: ${spelling}`, ({ expect }) => {
      expect(pathOf(spelling)).toBe('/checkout')
    })

  it('is decoded as far as possible if a part is invalid', ({ expect }) => {
    expect(pathOf('/%63heckout/%')).toBe('/checkout/%')
    expect(pathOf('/%63heckout/%zz')).toBe('/checkout/%zz')
    expect(pathOf('/%63heckout/%ff')).toMatch(/^\/checkout\/./)
    expect(pathOf('/%63heckout%ff/../checkout')).toBe('/checkout')
  })

  it('is decoded once: a "%" that is left may be part of a name', ({ expect }) => {
    expect(pathOf('/%2563heckout')).toBe('/%63heckout')
  })

  it('keeps dots inside names, and letters of any language', ({ expect }) => {
    expect(pathOf('/a.b/c..d/e.')).toBe('/a.b/c..d/e.')
    expect(pathOf('/caf%C3%A9')).toBe('/café')
  })

  it('starts with a slash and has no empty or dot segment, for any URL', ({ expect }) => {
    const part = fc.constantFrom('a', '.', '..', '', '%2e', '%2F', '\\', '%5c', '%', '%ff', 'ä')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const segments = pathOf(`/${parts.join('/')}`)
          .split('/')
          .slice(1)
        const inner = segments.slice(0, -1)
        expect(inner.includes('') || segments.includes('.') || segments.includes('..')).toBe(false)
      }),
    )
  })
})
