import { describe, it } from 'vitest'
import { gateOf } from '../support/gates.ts'

const NOBODY = { drawLimit: 0, classes: { vip: { probability: 0 }, default: { probability: 0 } } }
const ROUTE = {
  bypass: [{ path: '/healthz' }, { path: '/static/*' }],
  classes: [{ name: 'vip', value: 9, guaranteed: 5, match: { path: '/checkout/*' } }],
}

describe('spellings of a path at the gate', () => {
  it('are no bypass unless every reading is one', async ({ expect }) => {
    const { visit } = await gateOf(ROUTE, NOBODY)
    for (const path of ['/healthz', '/static/a.css', '/static//b/../a.css'])
      expect(visit(path).verdict.reason, path).toBe('bypass')
    for (const path of [
      ...['/search/..%2f..%2fhealthz', '/search/..%5c..%5chealthz', '/search/%2e%2e%2fhealthz'],
      ...['/static/..;/search/x', '/static/%2e%2e;/search/x', '/static/..%2fsearch'],
    ])
      expect(visit(path).verdict.reason, path).not.toBe('bypass')
  })

  it('are of the least favoured class of all readings', async ({ expect }) => {
    const plan = {
      drawLimit: 0,
      classes: {
        vip: { guaranteed: 5, conforming: 1, probability: 0 },
        default: { probability: 0 },
      },
    }
    const { visit } = await gateOf(ROUTE, plan)
    expect(visit('/checkout/pay').verdict.reason).toBe('guaranteed')
    for (const path of [
      '/search/..%2f..%2fcheckout%2fpay',
      '/checkout/..;/search',
      '/checkout%2fpay',
    ])
      expect(visit(path).verdict.reason, path).toBe('share')
  })
})
