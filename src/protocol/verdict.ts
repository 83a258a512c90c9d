/** Admit or refuse, and the reason. The words are the same in metrics, logs, the `Tidegate-Verdict` header and tests. */
export type Verdict = Admit | Refuse

interface Admit {
  readonly kind: 'admit'
  readonly reason: AdmitReason
}

interface Refuse {
  readonly kind: 'refuse'
  readonly reason: RefuseReason
}

type AdmitReason =
  | 'bypass' // health checks and the like: not counted
  | 'off' // the route's gate is off
  | 'session' // a known session
  | 'guaranteed' // under the class's guaranteed rate
  | 'share' // the plan's draw admitted it
  | 'batch' // its batch passed the batch test
  | 'startup' // no plan yet
  | 'open' // the coordinator cannot be reached, and the route's rule is to let all in
  | 'local' // the coordinator cannot be reached: under the isolate's own limit

export type RefuseReason =
  | 'share' // the plan's draw refused it
  | 'batch' // its batch failed the batch test
  | 'early' // came back before the time in Retry-After
  | 'fairness' // its client has used up its quota, and others are refused
  | 'full' // the cap on requests in flight is reached
  | 'startup'
  | 'closed' // the coordinator cannot be reached, and the route's rule is to refuse
  | 'local'

/** The value of the `Tidegate-Verdict` header. */
export const verdictText = ({ kind, reason }: Verdict): string => `${kind}; reason=${reason}`

/** One object for each verdict, so that a decision allocates nothing. */
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
