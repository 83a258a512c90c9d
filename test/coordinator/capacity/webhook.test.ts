import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { describe, it } from 'vitest'
import type { CapacityAnswer } from '../../../src/coordinator/capacity/answer.ts'
import {
  afterDelivery,
  dueDelivery,
  EMPTY_OUTBOX,
  withDelivery,
} from '../../../src/coordinator/capacity/outbox.ts'
import {
  signWebhook,
  webhookBody,
  webhookId,
  webhookKeys,
} from '../../../src/coordinator/capacity/webhook.ts'

const OLD = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const URL = 'https://scaler.example.com'

const ANSWER = {
  origin: 'shop',
  sequence: 7,
  decidedAtMs: 1_800_000_000_000,
  validUntilMs: 1_800_000_600_000,
  reason: 'refused',
  horizonS: 420,
  limitedBy: null,
  tiers: { app: { current: 3, desired: 5, min: 1, max: 9, source: 'model' } },
} as unknown as CapacityAnswer

describe('the webhook of a decision (Standard Webhooks 1.0)', () => {
  const body = webhookBody(ANSWER, ['shop'])
  const signed = signWebhook(NEW, webhookId(ANSWER), body, Date.now())

  it('is accepted by the verifier of the standard', ({ expect }) => {
    expect(new Webhook(NEW).verify(body, signed.headers)).toEqual({
      type: 'capacity.desired',
      timestamp: '2027-01-15T08:00:00.000Z',
      data: {
        origin: 'shop',
        routes: ['shop'],
        sequence: 7,
        reason: 'refused',
        text: 'visitors are refused',
        horizonSeconds: 420,
        validUntil: '2027-01-15T08:10:00.000Z',
        limitedBy: null,
        tiers: [{ tier: 'app', current: 3, desired: 5, min: 1, max: 9, source: 'model' }],
      },
    })
  })

  it('is not accepted with another body, another secret or an old time', ({ expect }) => {
    expect(() => new Webhook(NEW).verify(`${body} `, signed.headers)).toThrow(
      WebhookVerificationError,
    )
    expect(() => new Webhook(OLD).verify(body, signed.headers)).toThrow(WebhookVerificationError)
    const old = signWebhook(NEW, 'cap_1', body, Date.now() - 3_600_000)
    expect(() => new Webhook(NEW).verify(body, old.headers)).toThrow(WebhookVerificationError)
  })

  it('is signed with both secrets while one replaces the other', ({ expect }) => {
    const both = signWebhook(`${NEW} ${OLD}`, 'cap_1', body, Date.now())
    for (const secret of [OLD, NEW])
      expect(() => new Webhook(secret).verify(body, both.headers)).not.toThrow()
  })

  it('has one id for each decision', ({ expect }) => {
    expect(webhookId({ ...ANSWER })).toBe(webhookId(ANSWER))
    expect(webhookId({ ...ANSWER, sequence: 8 })).not.toBe(webhookId(ANSWER))
    expect(webhookId(ANSWER)).toMatch(/^cap_[A-Za-z0-9]{20,24}$/)
  })

  it.for(['', 'secret', 'whsec_', 'whsec_c2hvcnQ='])(
    'does not take %j as a secret',
    (secret, { expect }) => {
      expect(() => webhookKeys(secret)).toThrow('expected "whsec_" and 24 to 64 bytes in base64')
    },
  )
})

describe('the delivery of webhooks', () => {
  const NOW = 1_000_000
  const message = { id: 'cap_1', body: '{}', validUntilMs: NOW + 60_000 }
  const filled = withDelivery(EMPTY_OUTBOX, 1, message, NOW)
  const after = (
    status: number | null,
    nowMs = NOW,
    retryAfterS: number | null = null,
    from = filled,
  ) => afterDelivery(from, message, { status, retryAfterS }, { nowMs, coin: 0.5, url: URL })

  it('ends with a 2xx', ({ expect }) => {
    expect(dueDelivery(filled, URL, NOW)).toMatchObject({ id: 'cap_1', tries: 0 })
    expect(after(204).pending).toBeNull()
  })

  it('is tried again after 2, 4, 8, … s, with the same id', ({ expect }) => {
    const once = after(500)
    expect(once.pending).toMatchObject({ id: 'cap_1', tries: 1, nextAtMs: NOW + 2000 })
    expect(dueDelivery(once, URL, NOW + 1999)).toBeNull()
    const twice = after(null, NOW + 2000, null, once)
    expect(twice.pending).toMatchObject({ tries: 2, nextAtMs: NOW + 6000 })
  })

  it('waits as long as the receiver says', ({ expect }) => {
    expect(after(429, NOW, 30).pending!.nextAtMs).toBe(NOW + 30_000)
  })

  it('is given up when the decision is out of date', ({ expect }) => {
    expect(after(503, NOW, 60).pending).toBeNull()
    expect(dueDelivery(filled, URL, NOW + 60_000)).toBeNull()
  })

  it('stops for good after 410 Gone, until the address changes', ({ expect }) => {
    const gone = withDelivery(after(410), 2, message, NOW)
    expect(dueDelivery(gone, URL, NOW)).toBeNull()
    expect(dueDelivery(gone, 'https://other.example.com', NOW)).not.toBeNull()
  })

  it('does not confuse a late answer with a newer decision', ({ expect }) => {
    const newer = withDelivery(filled, 2, { ...message, id: 'cap_2' }, NOW)
    expect(after(200, NOW, null, newer).pending!.id).toBe('cap_2')
  })
})
