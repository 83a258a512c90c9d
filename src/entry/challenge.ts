import type { Config, TurnstileRules } from '../config/config.ts'
import { readTurnstileSecret, type SecretsEnv, type SecretsPlace } from '../config/secrets.ts'
import { TROUBLES } from '../gate/trouble-log.ts'
import type { ChallengePort } from '../protocol/challenge-port.ts'
import { turnstilePort } from '../transport/turnstile.ts'
import { REAL_RUNTIME } from './platform.ts'

/** How the routes of a configuration verify challenges; null: none has any. Throws if the secret is missing. */
export function challenges(
  env: SecretsEnv,
  config: Config,
  place?: SecretsPlace,
): ((rules: TurnstileRules) => ChallengePort) | null {
  const secret = readTurnstileSecret(env, config, place)
  if (secret === null) return null
  return (rules) =>
    turnstilePort(rules, secret, (what) =>
      TROUBLES.say(
        'turnstile',
        REAL_RUNTIME.now(),
        () =>
          `Tidegate: Turnstile tokens cannot be verified: ${what}. whenDown: "${rules.whenDown}" decides.`,
      ),
    )
}
