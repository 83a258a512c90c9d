import { decideClaim, MemoryClaims } from '../coordinator/pass-claims.ts'
import type { ClaimAnswer, PassClaim, PassPort } from '../protocol/pass-port.ts'

/** The claims in the same process: for a server that runs on a single machine. */
export class InProcessPasses implements PassPort {
  readonly #claims = new Map<string, MemoryClaims>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  claim(claim: PassClaim): Promise<ClaimAnswer> {
    let claims = this.#claims.get(claim.route)
    if (claims === undefined) {
      claims = new MemoryClaims()
      this.#claims.set(claim.route, claims)
    }
    return Promise.resolve(decideClaim(claims, claim, this.#now()))
  }
}
