import { afterAll, beforeAll, describe, it } from 'vitest'
import { mintPass, type PassOptions } from '../../src/entry/mint-pass.ts'
import { cookiesOf } from '../support/e2e/client.ts'
import { NEXT_TO_NOTHING } from '../support/e2e/full-gate.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'
import { GATE_SECRETS, startTwoGates, type TwoGates } from '../support/e2e/two-gates.ts'

let origin: ScriptedOrigin
let two: TwoGates

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  two = await startTwoGates({
    routes: [
      {
        name: 'shop',
        match: '/*',
        origin: origin.url,
        verdictHeader: true,
        whenFull: 'refuse',
        learner: NEXT_TO_NOTHING,
      },
    ],
  })
  // The burst of the limit must be used up before passes can show what they do.
  for (const gate of two.gates) {
    const giveUpAt = performance.now() + 30_000
    while ((await gate.ask('/')).status !== 503 && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

afterAll(async () => {
  await two?.close()
  await origin.close()
})

const minted = (given: Partial<PassOptions>): string =>
  mintPass({
    secret: GATE_SECRETS.TIDEGATE_SECRET,
    route: 'shop',
    expires: new Date(Date.now() + 60_000),
    skip: true,
    ...given,
  })

describe('At two gates that let nobody in', () => {
  it('a pass for one use works once', async ({ expect }) => {
    const [berlin, sydney] = two.gates
    const headers = { 'Tidegate-Pass': minted({ once: true }) }
    const answers = await Promise.all(
      [berlin, sydney, berlin, sydney].map((gate) => gate.ask('/', { headers })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await sydney.ask('/', { headers })).status).toBe(503)
  })

  it('a key holds one session: the second device puts the first one out, everywhere', async ({
    expect,
  }) => {
    const [berlin, sydney] = two.gates
    const headers = { 'Tidegate-Pass': minted({ key: 'ann' }) }
    const phone = cookiesOf(await berlin.ask('/', { headers }))
    expect((await sydney.ask('/', { headers: { Cookie: phone } })).status).toBe(200)
    const desk = cookiesOf(await sydney.ask('/', { headers }))
    const movedAtMs = performance.now()
    const isOut = async (): Promise<boolean> => {
      const answers = await Promise.all(
        two.gates.map((gate) => gate.ask('/', { headers: { Cookie: phone } })),
      )
      return answers.every(({ status }) => status === 503)
    }
    await expect.poll(isOut, { timeout: 5000, interval: 50 }).toBe(true)
    expect(performance.now() - movedAtMs).toBeLessThan(2500)
    expect((await berlin.ask('/', { headers: { Cookie: desk } })).status).toBe(200)
  })

  it('a pass in the address becomes a cookie, and the origin sees neither pass nor parameter', async ({
    expect,
  }) => {
    const [berlin] = two.gates
    const pass = minted({})
    const redirect = await berlin.ask(`/sale?tidegate-pass=${encodeURIComponent(pass)}&a=1`, {
      headers: { Accept: 'text/html' },
    })
    expect(redirect.status).toBe(303)
    expect(redirect.headers.location).toBe('/sale?a=1')
    const Cookie = cookiesOf(redirect)
    expect((await berlin.ask('/sale?a=1', { headers: { Cookie } })).status).toBe(200)
    await berlin.ask(`/tool?tidegate-pass=${encodeURIComponent(pass)}&a=1`, {
      headers: { 'Tidegate-Pass': pass },
    })
    const [seen] = origin.seen('/tool')
    expect(seen!.url).toBe('/tool?a=1')
    expect(seen!.headers).not.toHaveProperty('tidegate-pass')
  })

  it('a session without a pass cannot start', async ({ expect }) => {
    for (const gate of two.gates) expect((await gate.ask('/')).status).toBe(503)
  })
})
