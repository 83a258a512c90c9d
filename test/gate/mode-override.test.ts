import { describe, it } from 'vitest'
import { background } from '../support/fakes.ts'
import { gateOf, sessionOf } from '../support/gates.ts'
import { planOf } from '../support/requests.ts'

const REFUSING = { drawLimit: 0, classes: { default: { probability: 0 } } }

/** A gate that refuses all, until a plan sets another mode. */
async function gateInMode(keys: object = {}) {
  const given = await gateOf(keys, REFUSING)
  const { route, runtime, port } = given
  const follow = async (mode?: 'enforce' | 'observe' | 'off') => {
    const plan = planOf(REFUSING)
    const shop = { ...plan.routes.shop!, ...(mode ? { mode } : {}) }
    port.answer = async () => ({ plan: { ...plan, routes: { shop } }, share: 1 })
    route.reporter.touch(background, runtime.now())
    await runtime.advance(1000)
  }
  return { ...given, follow }
}

describe('the mode that an operator sets', () => {
  it('holds as soon as the plan has it, and no longer than the plans have it', async ({
    expect,
  }) => {
    const { visit, follow } = await gateInMode()
    expect(visit('/').isRefused).toBe(true)
    await follow('observe')
    expect(visit('/')).toMatchObject({ isRefused: false, verdict: { kind: 'refuse' } })
    await follow('off')
    expect(visit('/')).toMatchObject({ isRefused: false, verdict: { reason: 'off' } })
    await follow()
    expect(visit('/').isRefused).toBe(true)
  })

  it('marks the sessions that begin in observe: they are drawn again in enforce', async ({
    expect,
  }) => {
    const { visit, follow, runtime } = await gateInMode({ session: { keepObserved: false } })
    await follow('observe')
    const Cookie = sessionOf(visit('/'), runtime.now())
    expect(visit('/', { headers: { Cookie } }).verdict.reason).toBe('session')
    await follow()
    expect(visit('/', { headers: { Cookie } }).isRefused).toBe(true)
  })
})
