import { describe, it } from 'vitest'
import type { ChallengeOutcome } from '../../src/protocol/challenge-port.ts'
import { gateOf } from '../support/gates.ts'
import { cookieOf, type Planned, planOf, viewOf } from '../support/requests.ts'

const PAGE = 'text/html'

const waitingUpTo = (watermark: number): Planned => ({
  drawLimit: 0,
  classes: {
    default: {
      probability: 0,
      queue: {
        ...{ watermark, isDirect: false, limit: null, bucketS: 1 },
        ...{ ahead: [watermark, 0, watermark + 1, 9], rate: 1, leaving: 0, low: 0.8, high: 1.2 },
      },
    },
  },
})

/** A route with Turnstile, and a visitor who keeps the cookie. */
async function visitor(outcome: ChallengeOutcome, whenDown: 'place' | 'wait' = 'place') {
  const asked: string[] = []
  const verify = async (token: string) => {
    asked.push(token)
    return outcome
  }
  const turnstile = { siteKey: '0x4AAAAAAADnPID', whenDown }
  const keys = { whenFull: 'queue', waitingRoom: { turnstile } }
  const { route, runtime } = await gateOf(keys, waitingUpTo(0), 1, { verify })
  await runtime.advance(1000)
  let Cookie = ''
  const ask = async (token?: string) => {
    const challenge = token === undefined ? {} : { 'Tidegate-Challenge': token }
    const headers = { Cookie, Accept: PAGE, ...challenge }
    const visit = await route.decide(viewOf('/', { headers }), runtime.now())
    if (!visit.isRefused) return { reason: visit.verdict.reason, place: 'in', page: '' }
    const response = visit.refusal(runtime.now())
    Cookie = cookieOf(response.headers.get('Set-Cookie')!)
    const place = response.headers.get('Tidegate-Waiting')
    return { reason: visit.verdict.reason, place, page: await response.text() }
  }
  const call = () =>
    route.origin.follow(planOf(waitingUpTo(runtime.now() / 1000)), { share: 1 }, runtime.now())
  return { ask, call, asked, runtime }
}

describe('a waiting room with Turnstile', () => {
  it('shows the widget until the visitor has a place, and no external file after', async ({
    expect,
  }) => {
    const { ask } = await visitor('passed')
    const first = await ask()
    expect(first.page).toContain('data-sitekey="0x4AAAAAAADnPID"')
    expect(first.page).toContain('https://challenges.cloudflare.com/turnstile/v0/api.js')
    expect(first.page).toContain('This needs JavaScript.')
    expect(first.page.length).toBeLessThan(15_000)
    const second = await ask('a token')
    expect(second).toMatchObject({ reason: 'waiting', place: '10' })
    expect(second.page).not.toContain('cf-turnstile')
    expect(second.page).not.toContain('api.js')
  })

  it('gives no place without a token, and lets nobody in, even if it is the turn', async ({
    expect,
  }) => {
    const { ask, call, runtime, asked } = await visitor('passed')
    await ask()
    await runtime.advance(5000)
    expect(await ask()).toMatchObject({ reason: 'challenge', place: '?' })
    call()
    await runtime.advance(5000)
    expect(await ask()).toMatchObject({ reason: 'challenge', place: '?' })
    expect(asked).toEqual([])
    expect((await ask('a token')).place).toBe('in')
  })

  it('gives no place for a token that fails, and shows the widget again', async ({ expect }) => {
    const { ask, asked } = await visitor('failed')
    await ask()
    const again = await ask('a wrong token')
    expect(again).toMatchObject({ reason: 'challenge', place: '?' })
    expect(again.page).toContain('cf-turnstile')
    expect(asked).toEqual(['a wrong token'])
  })

  it('verifies once: a visitor with a place is not asked again', async ({ expect }) => {
    const { ask, asked, runtime } = await visitor('passed')
    await ask()
    await ask('a token')
    await runtime.advance(5000)
    expect((await ask('another token')).reason).toBe('waiting')
    expect(asked).toEqual(['a token'])
  })

  it('gives a place if the endpoint is down, and counts it; or lets the visitor wait', async ({
    expect,
  }) => {
    const lenient = await visitor('down')
    await lenient.ask()
    expect(await lenient.ask('a token')).toMatchObject({ reason: 'unverified', place: '10' })
    const strict = await visitor('down', 'wait')
    await strict.ask()
    expect(await strict.ask('a token')).toMatchObject({ reason: 'unverified', place: '?' })
  })
})
