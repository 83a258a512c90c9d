import fc from 'fast-check'
import { describe, it } from 'vitest'
import { PathTree } from '../../src/request/path-tree.ts'

function found(patterns: readonly string[], path: string): number[] {
  const tree = new PathTree()
  for (const [id, pattern] of patterns.entries()) tree.add(pattern, id)
  return [...tree.matching(path)]
}

const matches = (pattern: string, path: string): boolean => found([pattern], path).length > 0

/** The definition: segment by segment, one pattern at a time. */
function naive(pattern: string, path: string): boolean {
  const want = pattern.split('/').filter((part) => part !== '')
  const have = path.split('/').filter((part) => part !== '')
  const open = want.at(-1) === '*'
  if (open) want.pop()
  if (open ? have.length < want.length : have.length !== want.length) return false
  return want.every((part, i) => part === '*' || part === have[i])
}

describe('path patterns', () => {
  it('match the path itself, with or without a slash at the end', ({ expect }) => {
    expect(matches('/checkout', '/checkout')).toBe(true)
    expect(matches('/checkout', '/checkout/')).toBe(true)
    expect(matches('/checkout', '/checkout/pay')).toBe(false)
    expect(matches('/checkout', '/check')).toBe(false)
    expect(matches('/checkout', '/Checkout')).toBe(false)
  })

  it('match the root with "/" and nothing below it', ({ expect }) => {
    expect(matches('/', '/')).toBe(true)
    expect(matches('/', '/a')).toBe(false)
  })

  it('match everything below with "*" at the end, and the path itself', ({ expect }) => {
    for (const path of ['/shop', '/shop/', '/shop/a', '/shop/a/b/c'])
      expect(matches('/shop/*', path), path).toBe(true)
    expect(matches('/shop/*', '/shopping')).toBe(false)
    expect(matches('/*', '/')).toBe(true)
  })

  it('match exactly one segment with "*" in the middle', ({ expect }) => {
    expect(matches('/items/*/buy', '/items/7/buy')).toBe(true)
    expect(matches('/items/*/buy', '/items/buy')).toBe(false)
    expect(matches('/items/*/buy', '/items/7/8/buy')).toBe(false)
    expect(matches('/items/*/buy', '/items/7/buy/now')).toBe(false)
  })

  it('are all found if several match, with a fixed segment and with "*"', ({ expect }) => {
    const patterns = ['/*', '/a/*/c', '/a/b/c', '/*/b/*', '/a/b', '/x']
    expect(found(patterns, '/a/b/c')).toEqual([0, 1, 2, 3])
  })

  it('are different even if their letters add up to the same', ({ expect }) => {
    const patterns = ['/Aa/*', '/BB/*', '/AaAa', '/BBBB', '/AaBB']
    expect(found(patterns, '/BB/x')).toEqual([1])
    expect(found(patterns, '/AaBB')).toEqual([4])
    expect(found(patterns, '/BBAa')).toEqual([])
  })

  it('give the same result as a matcher that tries them one by one, for any patterns and paths', ({
    expect,
  }) => {
    const segment = fc.constantFrom('a', 'b', 'c', 'longer', '*')
    const pattern = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`)
    const step = fc.constantFrom('a', 'b', 'c', 'longer', 'd')
    const path = fc
      .tuple(fc.array(step, { maxLength: 6 }), fc.boolean())
      .map(([parts, slash]) => `/${parts.join('/')}${slash && parts.length > 0 ? '/' : ''}`)
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 30 }), path, (patterns, at) => {
        const expected = patterns.flatMap((one, id) => (naive(one, at) ? [id] : []))
        expect(found(patterns, at)).toEqual(expected)
      }),
      { numRuns: 1000 },
    )
  })
})
