/** Yes or no, and why: the same words in metrics, logs, the `Tidegate-Verdict` header and the tests. */
export type Verdict = Admit | Refuse

export interface Admit {
  readonly kind: 'admit'
  readonly reason: AdmitReason
}

export interface Refuse {
  readonly kind: 'refuse'
  readonly reason: RefuseReason
}

export type AdmitReason =
  | 'bypass' // health checks and the like: not counted
  | 'off' // the route's gate is off
  | 'session' // a known session
  | 'guaranteed' // within the class's guaranteed rate
  | 'share' // drawn in by the plan
  | 'batch' // its batch passed the test of the servers
  | 'startup' // no plan yet
  | 'open' // no word from the coordinator, and the route's rule is to let all in
  | 'local' // no word from the coordinator: within the isolate's own limit

export type RefuseReason =
  | 'share' // drawn out by the plan
  | 'batch' // its batch failed the test of the servers
  | 'early' // came back before the time that it was told
  | 'fairness' // its client had its part already, and others are kept out
  | 'full' // the cap on requests in flight is reached
  | 'startup'
  | 'closed' // no word from the coordinator, and the route's rule is to keep out
  | 'local'

/** As the `Tidegate-Verdict` header says it. */
export const verdictText = ({ kind, reason }: Verdict): string => `${kind}; reason=${reason}`

/** One object each, made once: a verdict allocates nothing. */
export const ADMIT = {
  bypass: { kind: 'admit', reason: 'bypass' },
  off: { kind: 'admit', reason: 'off' },
  session: { kind: 'admit', reason: 'session' },
  guaranteed: { kind: 'admit', reason: 'guaranteed' },
  share: { kind: 'admit', reason: 'share' },
  batch: { kind: 'admit', reason: 'batch' },
  startup: { kind: 'admit', reason: 'startup' },
  open: { kind: 'admit', reason: 'open' },
  local: { kind: 'admit', reason: 'local' },
} as const satisfies { [R in AdmitReason]: Admit }

export const REFUSE = {
  share: { kind: 'refuse', reason: 'share' },
  batch: { kind: 'refuse', reason: 'batch' },
  early: { kind: 'refuse', reason: 'early' },
  fairness: { kind: 'refuse', reason: 'fairness' },
  full: { kind: 'refuse', reason: 'full' },
  startup: { kind: 'refuse', reason: 'startup' },
  closed: { kind: 'refuse', reason: 'closed' },
  local: { kind: 'refuse', reason: 'local' },
} as const satisfies { [R in RefuseReason]: Refuse }
