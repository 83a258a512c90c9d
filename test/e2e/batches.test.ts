import { once } from 'node:events'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { type Answer, openRequest, send } from '../support/e2e/client.ts'
import { BYPASS, countsOf, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { type Exchange, ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

/** The origin reports 50 ms for each request. At 40/s and within 1000 ms, 40 may be in flight at once. */
const TIMING = { 'Server-Timing': 'cpu;dur=50' }
const LIMIT = 40
const MOST_AT_ONCE = 40

let origin: ScriptedOrigin
let gate: LocalGate

const answer = ({ response }: Exchange): void => void response.writeHead(200, TIMING).end('body')

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  for (const path of ['/gold', '/rest']) origin.on(path, answer)
  const route = {
    ...{ name: 'site', match: '/*', origin: origin.url, bypass: BYPASS, verdictHeader: true },
    ...{ granularity: 'request', police: 'batch', learner: { name: 'fixed', limit: LIMIT } },
    classes: [{ name: 'gold', value: 2, match: { path: '/gold' } }, { name: 'rest' }],
  }
  gate = await startLocalGate({ config: { routes: [route] }, port: 0 })
  await until(async () => verdictOf(await ask('/gold'))?.startsWith('admit; reason=batch;'))
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

const ask = (path: string): Promise<Answer> => send(`${gate.url}${path}`)
const verdictOf = ({ headers }: Answer): string => String(headers['tidegate-verdict'])

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 30_000
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error('The condition was not true within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

describe('Batch policing in the real runtime', () => {
  it('admits no more than the servers answer in time, and refuses the rest at once', async ({
    expect,
  }) => {
    const hanging: Exchange[] = []
    origin.on('/gold', (exchange) => void hanging.push(exchange))
    const answers: Promise<Answer>[] = []
    const refused: string[] = []
    await until(async () => {
      const asked = ask('/gold')
      answers.push(asked)
      void asked.then((got) => got.status === 503 && refused.push(verdictOf(got)))
      return refused.filter((verdict) => verdict?.startsWith('refuse; reason=batch;')).length >= 20
    })
    // The middle of a bucket of service times is up to 10 % off.
    expect(hanging.length).toBeGreaterThan(0.85 * MOST_AT_ONCE)
    expect(hanging.length).toBeLessThan(1.15 * MOST_AT_ONCE)
    origin.on('/gold', answer)
    for (const exchange of hanging) answer(exchange)
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(
      hanging.length,
    )
    await until(async () => verdictOf(await ask('/gold'))?.startsWith('admit; reason=batch;'))
  })

  it('delays the less important class: requests that wait together all get their verdicts', async ({
    expect,
  }) => {
    // The less important class is refused while gold fails, and for about one target afterwards.
    await until(async () => verdictOf(await ask('/rest'))?.startsWith('admit; reason=batch;'))
    const waits: number[] = []
    for (let turn = 0; turn < 5; turn++)
      // If the limit is used up by earlier requests, all of them are refused together.
      await until(async () => {
        const startedAt = performance.now()
        const together = await Promise.all(Array.from({ length: 4 }, () => ask('/rest')))
        waits.push(performance.now() - startedAt)
        for (const got of together) expect(verdictOf(got)).toMatch(/^(admit|refuse); reason=/)
        return together.some((got) => verdictOf(got)?.startsWith('admit; reason=batch;'))
      })
    // A request waits for a quarter of the target at most, if it comes at the start of a batch.
    expect(Math.max(...waits)).toBeGreaterThan(40)
  })

  it('forgets clients that leave while they wait', async ({ expect }) => {
    for (let i = 0; i < 20; i++) {
      const outgoing = openRequest(`${gate.url}/rest`)
      outgoing.on('error', () => {})
      outgoing.end()
      await once(outgoing, 'finish')
      await ask('/gold')
      outgoing.destroy()
    }
    await expect.poll(async () => (await countsOf(gate, 'site'))?.inFlight, WHEN_REPORTED).toBe(0)
    await until(async () => verdictOf(await ask('/rest'))?.startsWith('admit; reason=batch;'))
  })
})
