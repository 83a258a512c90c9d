import { describe, it } from 'vitest'
import { type Outcome, SERVED } from '../../../lab/engine/requests.ts'
import { everyRequest, type Limiter } from '../../../lab/peers/every-request.ts'

/** Admits up to two in flight and records its calls. */
function noted(asksForSessions?: boolean) {
  const view = { inFlight: 0, activeSessions: 0, capacity: 1 }
  const heard: string[] = []
  const limiter: Limiter = {
    accepts: (inFlight) => inFlight < 2,
    refused: (nowMs) => void heard.push(`refused at ${nowMs}`),
    sent: (nowMs) => void heard.push(`sent at ${nowMs}`),
    finished: (_outcome: Outcome, latencyMs, inFlight, nowMs) =>
      void heard.push(`${latencyMs} ms with ${inFlight} at ${nowMs}`),
  }
  return { view, heard, policy: everyRequest(view, limiter, asksForSessions) }
}

const SENDING = { home: 0, visitor: 0, demandMs: 1, tier: 0, class: 0, luck: 0, ageMs: 0 }

describe('a rival that knows requests but no sessions', () => {
  it('decides about new and known sessions in the same way', ({ expect }) => {
    const { view, heard, policy } = noted()
    expect([policy.admits(0, 1, 0), policy.admitsKnown!(0, 2)]).toEqual([true, true])
    view.inFlight = 2
    expect([policy.admits(0, 3, 0), policy.admitsKnown!(0, 4)]).toEqual([false, false])
    expect(heard).toEqual(['refused at 3', 'refused at 4'])
  })

  it('lets new sessions start if it is not asked about them', ({ expect }) => {
    const { view, heard, policy } = noted(false)
    view.inFlight = 2
    expect(policy.admits(0, 1, 0)).toBe(true)
    expect(policy.admitsKnown!(0, 2)).toBe(false)
    expect(heard).toEqual(['refused at 2'])
  })

  it('reports for each answer how many were in flight when it was sent', ({ expect }) => {
    const { view, heard, policy } = noted()
    view.inFlight = 1
    policy.sent!(7, SENDING, 10)
    view.inFlight = 2
    policy.sent!(3, SENDING, 20)
    policy.finished!(15, SERVED, 25, 7)
    policy.finished!(30, SERVED, 50, 3)
    expect(heard).toEqual(['sent at 10', 'sent at 20', '15 ms with 1 at 25', '30 ms with 2 at 50'])
  })
})
