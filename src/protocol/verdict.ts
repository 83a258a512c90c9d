/**
 * What happens to a request, and the reason. The words are the same in metrics, logs, the `Tidegate-Verdict` header and
 * tests. Where a route has other steps than to refuse (`whenFull`), the reason stays the one of the refusal.
 */
export type Verdict = Admit | Refuse | Queue | Degrade | Redirect

interface Admit {
  readonly kind: 'admit'
  readonly reason: AdmitReason
}

interface Refuse {
  readonly kind: 'refuse'
  readonly reason: RefuseReason
}

/** The visitor waits and is let in later. */
interface Queue {
  readonly kind: 'queue'
  readonly reason: QueueReason
}

/** The visitor gets a lighter answer at once. */
interface Degrade {
  readonly kind: 'degrade'
  readonly reason: DegradeReason
}

/** The request goes to another origin. */
interface Redirect {
  readonly kind: 'redirect'
  readonly reason: RefuseReason
}

type AdmitReason =
  | 'bypass' // health checks and the like: not counted
  | 'off' // the route's gate is off
  | 'preflight' // a browser's CORS preflight, which never has a cookie: not counted unless there are too many
  | 'session' // a known session
  | 'pass' // its pass lets it in without a draw
  | 'guaranteed' // under the class's guaranteed rate
  | 'share' // the plan's draw admitted it
  | 'ticket' // its turn in the waiting room has come
  | 'batch' // its batch passed the batch test
  | 'startup' // no plan yet
  | 'open' // the coordinator cannot be reached, and the route's rule is to let all in
  | 'local' // the coordinator cannot be reached: under the isolate's own limit
  | 'fault' // an error in the gate itself, and the route's failure rule lets it in

export type RefuseReason =
  | 'share' // the plan's draw refused it
  | 'batch' // its batch failed the batch test
  | 'early' // came back before the time in Retry-After
  | 'fairness' // its client has used up its quota, and others are refused; or its session makes too many requests
  | 'full' // the cap on requests in flight is reached
  | 'uploads' // as many large uploads are open as the route allows
  | 'startup'
  | 'closed' // the coordinator cannot be reached, and the route's rule is to refuse
  | 'local'
  | 'fault' // an error in the gate itself, and the route's failure rule refuses
  | 'sold-out' // the origin said that nothing is left
  | 'event' // an event keeps the route closed

export type DegradeReason =
  | RefuseReason // a stored answer, or one of a lighter origin, instead of a refusal
  | 'quality' // admitted, with an answer of lower quality

export type QueueReason =
  | RefuseReason
  | 'waiting' // has a ticket, and earlier ones come first
  | 'challenge' // has a ticket, and must pass a challenge to get a place
  | 'unverified' // its challenge could not be verified, because the endpoint does not answer

/** What each refusal means, for those who were refused. */
export const REFUSAL_TEXTS: Readonly<Record<RefuseReason, string>> = {
  share:
    'More visitors ask than the site can serve well. The places of this moment went to others.',
  batch: 'The servers could not have answered this request in time.',
  early: 'The request came before the time that the last refusal named. It was not considered.',
  fairness:
    'The same client or network has used its part of the places, and others are waiting. Or one session sends far more requests than a browser does.',
  full: 'As many requests as the site can handle at once are in progress.',
  uploads: 'Too many large uploads are in progress, of all clients or of the same network.',
  startup: 'The gate has just started and does not know yet how much the site can serve.',
  closed: 'The gate cannot reach its coordinator, and the site is set to refuse until it can.',
  local: 'The gate cannot reach its coordinator and works with a careful limit of its own.',
  fault: 'The gate had an error of its own and could not consider the request.',
  'sold-out': 'Nothing is left, so no more visitors are let in.',
  event: 'The site is closed at the moment.',
}

/** What each reason to wait means. */
export const QUEUE_TEXTS: Readonly<Record<QueueReason, string>> = {
  ...REFUSAL_TEXTS,
  early: 'The request came before the time of the next refresh.',
  waiting: 'Others came before, and they enter first.',
  event: 'The event has not begun yet.',
  challenge: 'The waiting page has a challenge, which must be passed first.',
  unverified: 'The challenge could not be verified at the moment.',
}

/** What the reason of a lighter answer means, where it is none of a refusal. */
export const DEGRADE_TEXTS = {
  quality: 'Many visitors ask at once, so the site gives answers of lower quality for a moment.',
} as const satisfies { [R in Exclude<DegradeReason, RefuseReason>]: string }

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
  pass: { kind: 'admit', reason: 'pass' },
  guaranteed: { kind: 'admit', reason: 'guaranteed' },
  share: { kind: 'admit', reason: 'share' },
  ticket: { kind: 'admit', reason: 'ticket' },
  batch: { kind: 'admit', reason: 'batch' },
  startup: { kind: 'admit', reason: 'startup' },
  open: { kind: 'admit', reason: 'open' },
  local: { kind: 'admit', reason: 'local' },
  fault: { kind: 'admit', reason: 'fault' },
} as const satisfies { [R in AdmitReason]: Admit }

export const REFUSE = {
  share: { kind: 'refuse', reason: 'share' },
  batch: { kind: 'refuse', reason: 'batch' },
  early: { kind: 'refuse', reason: 'early' },
  fairness: { kind: 'refuse', reason: 'fairness' },
  full: { kind: 'refuse', reason: 'full' },
  uploads: { kind: 'refuse', reason: 'uploads' },
  startup: { kind: 'refuse', reason: 'startup' },
  closed: { kind: 'refuse', reason: 'closed' },
  local: { kind: 'refuse', reason: 'local' },
  fault: { kind: 'refuse', reason: 'fault' },
  'sold-out': { kind: 'refuse', reason: 'sold-out' },
  event: { kind: 'refuse', reason: 'event' },
} as const satisfies { [R in RefuseReason]: Refuse }

type OfReason<Kind, Reason extends string> = {
  readonly [R in Reason]: { readonly kind: Kind; readonly reason: R }
}

/** The same reasons with another kind of verdict. */
function withKind<const Kind extends 'queue' | 'degrade' | 'redirect', Reason extends string>(
  kind: Kind,
  reasons: readonly Reason[],
): OfReason<Kind, Reason> {
  const verdicts = reasons.map((reason) => [reason, { kind, reason }])
  return Object.fromEntries(verdicts) as OfReason<Kind, Reason>
}

const REFUSE_REASONS = Object.keys(REFUSE) as RefuseReason[]
export const QUEUE = withKind('queue', [...REFUSE_REASONS, 'waiting', 'challenge', 'unverified'])
export const DEGRADE = withKind('degrade', [...REFUSE_REASONS, 'quality'])
export const REDIRECT = withKind('redirect', REFUSE_REASONS)
