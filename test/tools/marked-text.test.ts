import { describe, it } from 'vitest'
import { replaceBetween } from '../../tools/marked-text.ts'

const PAGE = 'before\n<!-- a -->\nold\n<!-- end -->\nafter\n<!-- b -->\nkept\n<!-- end -->\n'

describe('text between marks', () => {
  it('is replaced, and the rest is kept', ({ expect }) => {
    expect(replaceBetween(PAGE, '<!-- a -->', '<!-- end -->', 'new\n')).toBe(
      'before\n<!-- a -->\n\nnew\n\n<!-- end -->\nafter\n<!-- b -->\nkept\n<!-- end -->\n',
    )
  })

  it('is the same when written twice', ({ expect }) => {
    const once = replaceBetween(PAGE, '<!-- a -->', '<!-- end -->', 'new\n')
    expect(replaceBetween(once, '<!-- a -->', '<!-- end -->', 'new\n')).toBe(once)
  })

  it.for([
    ['an unknown mark', '<!-- c -->', '<!-- end -->'],
    ['a mark that occurs twice', '<!-- end -->', '<!-- end -->'],
    ['no end after it', '<!-- a -->', '<!-- over -->'],
  ] as const)('is rejected with %s', ([, start, end], { expect }) => {
    expect(() => replaceBetween(PAGE, start, end, 'new')).toThrow(
      `The page must contain "${start}" once, and "${end}" after it.`,
    )
  })
})
