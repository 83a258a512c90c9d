import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { CAPACITY_REASONS, type CapacityAnswer } from './answer.ts'

/** Decisions as webhooks, by Standard Webhooks 1.0. */

export interface SignedWebhook {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One id for each decision, the same over all retries: a receiver can use it to drop repeated ones. */
export function webhookId({ origin, sequence, decidedAtMs }: CapacityAnswer): string {
  const text = `${origin} ${sequence} ${decidedAtMs}`
  return `cap_${base64(sha256(utf8ToBytes(text)))
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 24)}`
}

export function webhookBody(answer: CapacityAnswer, routes: readonly string[]): string {
  const { origin, sequence, decidedAtMs, validUntilMs, reason, horizonS, limitedBy, tiers } = answer
  return JSON.stringify({
    type: 'capacity.desired',
    timestamp: new Date(decidedAtMs).toISOString(),
    data: {
      origin,
      routes,
      sequence,
      reason,
      text: CAPACITY_REASONS[reason],
      horizonSeconds: horizonS,
      validUntil: new Date(validUntilMs).toISOString(),
      limitedBy,
      tiers: Object.entries(tiers).map(([tier, { current, desired, min, max, source }]) => ({
        tier,
        current,
        desired,
        min,
        max,
        source,
      })),
    },
  })
}

/**
 * Signs `id.timestamp.body` with each secret. Several secrets, separated by spaces, are for the time in which a secret
 * is replaced.
 */
export function signWebhook(
  secrets: string,
  id: string,
  body: string,
  nowMs: number,
): SignedWebhook {
  const timestamp = String(Math.floor(nowMs / 1000))
  const message = utf8ToBytes(`${id}.${timestamp}.${body}`)
  const signatures = webhookKeys(secrets).map((key) => `v1,${base64(hmac(sha256, key, message))}`)
  return {
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
  }
}

/** Throws where a secret has another form than `whsec_` and base64. */
export function webhookKeys(secrets: string): readonly Uint8Array[] {
  return secrets
    .trim()
    .split(/\s+/)
    .map((secret) => {
      const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
      const key =
        encoded === undefined ? null : Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0))
      if (key === null || key.length < 24 || key.length > 64)
        throw new Error(
          'TIDEGATE_WEBHOOK_SECRET: expected "whsec_" and 24 to 64 bytes in base64. Make one with: echo whsec_$(openssl rand -base64 32)',
        )
      return key
    })
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
