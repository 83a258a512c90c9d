import { afterAll, beforeAll, describe, it } from 'vitest'
import { NEXT_TO_NOTHING } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import { GATE_SECRETS, startTwoVersions, type TwoGates } from '../support/e2e/two-gates.ts'

const TOKEN = { Authorization: `Bearer ${GATE_SECRETS.TIDEGATE_ADMIN_TOKEN}` }

const CASES = [
  ['this', 'edges of this version and the next, with objects of this one'],
  ['next', 'edges of this version and the next, with objects of the next one'],
] as const

describe.for(CASES)('A gradual deployment: %s: %s', ([first]) => {
  let origin: ScriptedOrigin
  let two: TwoGates

  beforeAll(async () => {
    origin = await ScriptedOrigin.start()
    const route = { name: 'shop', match: '/*', origin: origin.url, verdictHeader: true }
    two = await startTwoVersions(
      { routes: [{ ...route, whenFull: 'refuse', learner: NEXT_TO_NOTHING }] },
      first,
    )
  })

  afterAll(async () => {
    await two?.close()
    await origin.close()
  })

  it('both follow the plan, and the coordinator refuses no report', async ({ expect }) => {
    for (const gate of two.gates)
      await expect.poll(async () => (await gate.ask('/')).status, { interval: 50 }).toBe(503)
    for (const gate of two.gates)
      expect((await gate.ask('/')).headers['tidegate-verdict']).toMatch(/^refuse; reason=share/)
    const status = await two.gates[0].ask('/_tidegate/api/v1/routes', { headers: TOKEN })
    expect(JSON.parse(status.text).routes[0]).toMatchObject({
      dataCentres: expect.arrayContaining([
        expect.objectContaining({ name: 'BER' }),
        expect.objectContaining({ name: 'SYD' }),
      ]),
      reports: { refused: 0 },
    })
  })
})
