import { describe, it } from 'vitest'
import { readCookie } from '../../src/request/cookie-header.ts'

describe('a cookie in the Cookie header', () => {
  it('is found first, last, alone, with and without a space before it', ({ expect }) => {
    for (const header of ['gate=1', 'gate=1; a=b', 'a=b; gate=1', 'a=b;gate=1', 'a=b;  gate=1 ;c'])
      expect(readCookie(header, 'gate'), header).toBe('1')
  })

  it('is the first of several with its name', ({ expect }) => {
    expect(readCookie('gate=1; gate=2', 'gate')).toBe('1')
  })

  it('may be empty, and may have "=" in its value', ({ expect }) => {
    expect(readCookie('gate=; a=b', 'gate')).toBe('')
    expect(readCookie('gate=a=b==', 'gate')).toBe('a=b==')
  })

  it('is not confused with a longer name that ends or starts like it', ({ expect }) => {
    for (const header of ['mygate=1', 'gate2=1', 'a-gate=1', 'gate', 'x=gate', 'GATE=1'])
      expect(readCookie(header, 'gate'), header).toBeNull()
  })

  it('is not a part of another cookie’s value', ({ expect }) => {
    for (const header of ['a=gate=1', 'a="gate=1"', 'a=b gate=1', 'a=, gate=1'])
      expect(readCookie(header, 'gate'), header).toBeNull()
  })

  it('is not found without a header', ({ expect }) => {
    expect(readCookie(null, 'gate')).toBeNull()
    expect(readCookie('', 'gate')).toBeNull()
  })
})
