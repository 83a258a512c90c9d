/** How the edge asks whether a pass for one use, or a key that holds one place, may be used by this visitor. */
export interface PassPort {
  claim(claim: PassClaim): Promise<ClaimAnswer>
}

export interface PassClaim {
  readonly route: string
  /** The pass. Only a pass for one use is remembered. */
  readonly id: string
  readonly once: boolean
  readonly key: string | null
  /** A random id of the visitor who presents it. */
  readonly holder: string
  readonly untilMs: number
  /** For how long a place is kept for a key that was not presented. */
  readonly keepMs: number
}

export interface ClaimAnswer {
  /** False: another visitor has used the pass. */
  readonly isGranted: boolean
  /** The holder that had the key until now, and must give its place or session up; null: none. */
  readonly displaced: string | null
  /** When the place of the key began, with this holder or one before; absent: the pass has no key. */
  readonly sinceMs?: number
}
