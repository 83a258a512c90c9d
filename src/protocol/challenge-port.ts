/** What a challenge of the waiting page came to. `down`: nobody could say. */
export type ChallengeOutcome = 'passed' | 'failed' | 'down'

/** Verifies the token that a visitor got for a challenge. */
export interface ChallengePort {
  verify(token: string, ip: string | null): Promise<ChallengeOutcome>
}
