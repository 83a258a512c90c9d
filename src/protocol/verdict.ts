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
  | 'preflight' // a browser's CORS preflight, which never has a cookie: not counted
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

/** What each refusal means, for those who were refused. */
export const REFUSAL_TEXTS: Readonly<Record<RefuseReason, string>> = {
  share:
    'More visitors ask than the site can serve well. The places of this moment went to others.',
  batch: 'The servers could not have answered this request in time.',
  early: 'The request came before the time that the last refusal named. It was not considered.',
  fairness: 'The same client or network has used its part of the places, and others are waiting.',
  full: 'As many requests as the site can handle at once are in progress.',
  startup: 'The gate has just started and does not know yet how much the site can serve.',
  closed: 'The gate cannot reach its coordinator, and the site is set to refuse until it can.',
  local: 'The gate cannot reach its coordinator and works with a careful limit of its own.',
}

/** The value of the `Tidegate-Verdict` header. A request that passes uncounted has no class. */
export function verdictText(
  { kind, reason }: Verdict,
  route: string,
  className: string | null,
): string {
  const named = className === null ? '' : `; class=${encodeURIComponent(className)}`
  return `${kind}; reason=${reason}; route=${encodeURIComponent(route)}${named}`
}

/** One object for each verdict, so that a decision allocates nothing. */
export const ADMIT = {
  bypass: { kind: 'admit', reason: 'bypass' },
  off: { kind: 'admit', reason: 'off' },
  preflight: { kind: 'admit', reason: 'preflight' },
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
