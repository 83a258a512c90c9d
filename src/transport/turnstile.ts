import type { TurnstileRules } from '../config/config.ts'
import type { ChallengeOutcome, ChallengePort } from '../protocol/challenge-port.ts'

/** A token is longer by mistake or by malice (developers.cloudflare.com/turnstile, server-side validation). */
const LONGEST_TOKEN = 2048
const LONGEST_ANSWER = 10_000
/** The secret or the request is wrong, or the endpoint has an error: the visitor can do nothing about it. */
const NOT_THE_VISITOR = [
  ...['missing-input-secret', 'invalid-input-secret', 'bad-request', 'internal-error'],
]

/**
 * Cloudflare's `siteverify`: says whether a token is real, not used before and at most five minutes old. It always answers
 * with JSON: `success`, and `error-codes` if it is false.
 */
export function turnstilePort(
  { url, timeoutMs }: Pick<TurnstileRules, 'url' | 'timeoutMs'>,
  secret: string,
  warn: (what: string) => void,
): ChallengePort {
  const down = (what: string): ChallengeOutcome => {
    warn(what)
    return 'down'
  }
  return {
    async verify(token, ip) {
      if (token.length > LONGEST_TOKEN) return 'failed'
      let text: string
      try {
        const answer = await fetch(`${url}/siteverify`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({
            secret,
            response: token,
            ...(ip === null ? {} : { remoteip: ip }),
          }),
          signal: AbortSignal.timeout(timeoutMs),
          redirect: 'manual',
        })
        text = (await answer.text()).slice(0, LONGEST_ANSWER)
      } catch (error) {
        return down(error instanceof Error ? error.message : String(error))
      }
      const { success, codes } = read(text)
      if (success === null) return down('the answer has another form')
      if (success) return 'passed'
      const own = codes.find((code) => NOT_THE_VISITOR.includes(code))
      return own === undefined ? 'failed' : down(own)
    },
  }
}

function read(text: string): { success: boolean | null; codes: readonly string[] } {
  try {
    const answer = JSON.parse(text) as { success?: unknown; 'error-codes'?: unknown } | null
    const codes = answer?.['error-codes']
    return {
      success: typeof answer?.success === 'boolean' ? answer.success : null,
      codes: Array.isArray(codes) ? codes.map(String) : [],
    }
  } catch {
    return { success: null, codes: [] }
  }
}
