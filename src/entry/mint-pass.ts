import { Signer } from '../lib/signer.ts'
import { LONGEST_PASS, signPass } from '../request/pass-token.ts'
import { REAL_RUNTIME } from './platform.ts'

export interface PassOptions {
  /** The `TIDEGATE_SECRET` of the gate. */
  readonly secret: string
  /** Name of the route. */
  readonly route: string
  /** Name of a class of the route. Without it the class rules decide. */
  readonly class?: string
  /** Whose pass it is, for example the number of an account. Each key holds one place or session at a time. */
  readonly key?: string
  /** When it expires. */
  readonly expires: Date
  /** It works for the first visitor who presents it, and for nobody else. Default: false. */
  readonly once?: boolean
  /** Admitted without a draw and without waiting. Default: false. */
  readonly skip?: boolean
}

const LEAST_SECRET = 32

/**
 * Makes a signed pass for one visitor.
 *
 * @example
 * const pass = mintPass({ secret, route: 'shop', class: 'members', key: user.id, expires: tomorrow })
 * response.headers.append('Set-Cookie', `tidegate-pass=${pass}; Path=/; HttpOnly; Secure`)
 */
export function mintPass(options: PassOptions): string {
  const { secret, route, expires, key = null, once = false, skip = false } = options
  if (typeof secret !== 'string' || secret.length < LEAST_SECRET)
    throw new Error(
      `mintPass: secret: expected at least ${LEAST_SECRET} characters, the TIDEGATE_SECRET of the gate.`,
    )
  if (typeof route !== 'string' || route === '')
    throw new Error('mintPass: route: expected the name of a route, got none.')
  for (const name of ['class', 'key'] as const)
    if (options[name] !== undefined && (typeof options[name] !== 'string' || options[name] === ''))
      throw new Error(
        `mintPass: ${name}: expected a text, got ${JSON.stringify(options[name])}. Leave it out for none.`,
      )
  const expiresAtMs = expires instanceof Date ? expires.getTime() : Number.NaN
  if (!(expiresAtMs > 0)) throw new Error('mintPass: expires: expected a valid Date.')
  const signer = new Signer({ current: secret, previous: null })
  const className = options.class ?? null
  const id = REAL_RUNTIME.id()
  const pass = signPass({ id, route, class: className, key, expiresAtMs, once, skip }, signer)
  if (pass.length > LONGEST_PASS)
    throw new Error(
      `mintPass: key: expected a shorter text: the pass has ${pass.length} characters, and at most ${LONGEST_PASS} are accepted.`,
    )
  return pass
}
