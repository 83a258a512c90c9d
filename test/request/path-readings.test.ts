import fc from 'fast-check'
import { describe, it } from 'vitest'
import { pathReadings } from '../../src/request/path-readings.ts'

describe('the readings of a path', () => {
  it('are one where all servers agree', ({ expect }) => {
    for (const path of ['/', '/a/b', '/a/b/', '//a/./b', '/x/../a/b', '/%61/b', '/a/b%20c'])
      expect(pathReadings(path), path).toHaveLength(1)
    expect(pathReadings('/x/%2e%2E/%61//b')).toEqual(['/a/b'])
  })

  it('keep an encoded slash or backslash in the first, and take it for a slash in another', ({
    expect,
  }) => {
    expect(pathReadings('/search/..%2f..%2fhealthz')).toEqual([
      '/search/..%2F..%2Fhealthz',
      '/healthz',
    ])
    expect(pathReadings('/a/..%5cb')).toEqual(['/a/..%5Cb', '/b'])
    expect(pathReadings('/a\\..\\b')).toEqual(['/a\\..\\b', '/b'])
  })

  it('keep matrix parameters in the first, and cut them off in another', ({ expect }) => {
    expect(pathReadings('/static/..;/search/x')).toEqual(['/static/..;/search/x', '/search/x'])
    expect(pathReadings('/static/%2e%2e;v=1/search')).toEqual(['/static/..;v=1/search', '/search'])
    expect(pathReadings('/api;x/search')).toEqual(['/api;x/search', '/api/search'])
  })

  it('combine both', ({ expect }) => {
    expect(pathReadings('/a/..;%2fb')).toContain('/b')
  })

  it('decode once, and decode around what is invalid', ({ expect }) => {
    expect(pathReadings('/%2563heckout')).toEqual(['/%63heckout'])
    expect(pathReadings('/%63heckout/%')).toEqual(['/checkout/%'])
    expect(pathReadings('/%252f')).toEqual(['/%2f'])
  })

  it('are at most four, start with a slash, and have no empty or dot segment', ({ expect }) => {
    const part = fc.constantFrom('a', '.', '..', '', '%2e', '%2F', '\\', '%5c', ';x', '%3b', '%ff')
    fc.assert(
      fc.property(fc.array(fc.array(part, { maxLength: 3 }), { maxLength: 6 }), (segments) => {
        const readings = pathReadings(`/${segments.map((parts) => parts.join('')).join('/')}`)
        expect(readings.length).toBeLessThanOrEqual(4)
        for (const reading of readings) {
          expect(reading.startsWith('/')).toBe(true)
          const inner = reading.split('/').slice(1, -1)
          expect(inner.filter((one) => ['', '.', '..'].includes(one))).toEqual([])
        }
      }),
    )
  })
})
