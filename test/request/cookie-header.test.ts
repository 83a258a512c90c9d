import { describe, it } from 'vitest'
import { cookieReadings, readCookie } from '../../src/request/cookie-header.ts'
import { MatchRules } from '../../src/request/match-rules.ts'
import { viewOf } from '../support/requests.ts'

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

describe('a cookie that a rule is about', () => {
  it('may be in the second of two Cookie headers, which the runtime joins with a comma', ({
    expect,
  }) => {
    const rules = new MatchRules([{ cookie: { plan: ['gold'] } }])
    const matches = (...headers: string[]) =>
      rules.first({ ...viewOf('/'), cookies: headers.join(', ') }) === 0
    expect(matches('plan=gold')).toBe(true)
    expect(matches('a=b', 'plan=gold')).toBe(true)
    expect(matches('plan=gold', 'a=b')).toBe(true)
    expect(matches('a=b; plan=gold', 'c=d; e=f')).toBe(true)
    expect(matches('a=b', 'c=d; plan=gold')).toBe(true)
    for (const other of ['plan=silver', 'myplan=gold', 'a=plan=gold', 'a=b plan=gold'])
      expect(matches('x=y', other), other).toBe(false)
  })

  it('has the value up to the comma, or all of it', ({ expect }) => {
    expect(cookieReadings('a=1,2; b=3', 'a')).toEqual(['1,2', '1'])
    expect(cookieReadings('b=3; a=1', 'a')).toEqual(['1'])
    expect(cookieReadings(null, 'a')).toEqual([])
  })
})
