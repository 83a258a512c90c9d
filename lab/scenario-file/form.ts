/**
 * What a user writes in a scenario file, as JSON. The text of each key is also its description in the JSON
 * Schema (`npm run lab -- schema`).
 */
export interface ScenarioFile {
  /** Address of the JSON Schema, for editors; has no effect. */
  readonly $schema?: string
  /** Name in the results. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** What happens, in a sentence. Default: the name. */
  readonly text?: string
  /** Length of a run. Whole seconds, 10 to 1000000. */
  readonly seconds: number
  /** What happens before is not judged: the second of the surge, or the end of a warm-up. Whole seconds. Default: 0. */
  readonly measureFromSeconds?: number
  /** What is admitted or refused: new sessions (admitted ones always pass), or single requests. Default: `session`. */
  readonly granularity?: 'session' | 'request'
  /** The service-level agreement: which part of the requests is to be answered within which time. */
  readonly sla?: SlaFile
  /** How many come: new sessions on session routes, requests elsewhere. */
  readonly arrivals: ArrivalsFile
  /** What they do when they wait or are refused. */
  readonly visitors?: VisitorsFile
  /** What one session asks for. Only with `granularity: "session"`. */
  readonly session?: SessionFile
  /** Kinds of visitors and what they are worth, most valuable first. Default: one class. */
  readonly classes?: readonly ClassFile[]
  /** Who serves them. */
  readonly origin: OriginFile
  /** What happens to the origin meanwhile. Default: nothing. */
  readonly changes?: readonly ChangeFile[]
  /** What stands between the product's learner and the visitors. Default: one isolate. */
  readonly edge?: EdgeFile
}

export interface SlaFile {
  /** How many of 100 requests are to be within the target. 1 to 99.99. Default: 95. */
  readonly percentile?: number
  /** The response time that they are to keep. Milliseconds, 1 to 120000. Default: 1000. */
  readonly targetMs?: number
  /** Over how long the percentile is taken. Whole milliseconds, 1000 to 86400000. Default: 300000. */
  readonly windowMs?: number
}

/** Exactly one of these keys. */
export interface ArrivalsFile {
  /** The same rate all the time. Per second, 0 to 100000. */
  readonly rate?: number
  /** Rates by the second from which they hold: `[[0, 2], [600, 20]]`. The first is from second 0. */
  readonly steps?: readonly (readonly [number, number])[]
  /** Twice as many again and again, up to a peak, and back. */
  readonly flashCrowd?: FlashCrowdFile
  /** A wave that comes again, as days do. */
  readonly day?: DayFile
  /** Bursts: states that follow one another in a circle, each for a random time (a Markov-modulated Poisson process). */
  readonly bursts?: readonly BurstFile[]
  /** A rate trace: name of a CSV file of seconds and rate per second, beside the scenario file. */
  readonly trace?: string
  /** A log that is replayed visit by visit: name of an access log or of a CSV file with a column `seconds`, beside the scenario file. */
  readonly log?: string
}

export interface FlashCrowdFile {
  /** Rate before and after. Per second, above 0. */
  readonly base: number
  /** Highest rate. Per second, above 0. */
  readonly peak: number
  /** When it starts. Seconds. */
  readonly startS: number
  /** In how long the rate doubles. Seconds. */
  readonly doublingS: number
  /** How long the peak lasts. Seconds. */
  readonly holdS: number
}

export interface DayFile {
  /** Mean rate. Per second, above 0. */
  readonly mean: number
  /** Height of the wave as a part of the mean. 0 to 1. */
  readonly swing: number
  /** When in the day the peak is. Seconds. */
  readonly peakS: number
  /** Length of a day, which may be shorter than it is. Seconds. Default: 86400. */
  readonly dayS?: number
}

export interface BurstFile {
  /** Rate in this state. Per second, above 0. */
  readonly rate: number
  /** How long it lasts in the mean. Seconds. */
  readonly meanS: number
}

export interface VisitorsFile {
  /** How long they wait for an answer before they leave. Milliseconds. Default: for ever. */
  readonly patienceMs?: number
  /** Part of the refused who come back after a second, whatever they are told. 0 to 1. Default: 0. */
  readonly retryAtOnce?: number
  /** Part of the refused who come back when `Retry-After` says so. 0 to 1. Default: 0. */
  readonly retryAsTold?: number
  /** How often somebody whose request failed sends it again. Whole, 0 to 100. Default: 0. */
  readonly resend?: number
}

export interface SessionFile {
  /** Requests that a session makes, in the mean; after each one it ends with the same probability. 1 to 1000. Default: 10. */
  readonly requests?: number
  /** Time from an answer to the next request, exponential, in the mean. Milliseconds, 1 to 3600000. Default: 10000. */
  readonly thinkMs?: number
}

export interface ClassFile {
  /** Name in the results. 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** What one of these is worth, relative to the other classes. 0 to 1000000. Default: 1. */
  readonly value?: number
  /** So many per second are always let in. 0 to 100000. Default: 0. */
  readonly guaranteed?: number
  /** Part of the visitors in this class. 0 to 1; all together 1. */
  readonly part: number
}

export interface OriginFile {
  /** Servers that share one line. Whole, 1 to 10000. */
  readonly servers: number
  /** How long a server is busy with a request: a mean in milliseconds (exponential), or a distribution. */
  readonly serviceMs: number | ServiceFile
  /** `first-come`: one line for all servers; `sharing`: all are served at once, each with an equal part. Default: `first-come`. */
  readonly order?: 'first-come' | 'sharing'
  /** Thrashing: with more requests than this at once, each further one slows all down. Whole; only with `sharing`. Default: never. */
  readonly thrashesAbove?: number
  /** A server does not notice that a client has gone, and does the work for nobody. Default: false. */
  readonly wastesWork?: boolean
  /** An answer that takes longer has failed. Milliseconds. Default: never. */
  readonly timeoutMs?: number
}

/** A distribution of service times. */
export interface ServiceFile {
  /** Its form. */
  readonly kind: 'exponential' | 'constant' | 'uniform' | 'log-normal' | 'pareto' | 'data'
  /** Its mean. Milliseconds; not with `data`. */
  readonly meanMs?: number
  /** `uniform`: the mean, give or take this part of it. 0 to 1. Default: 0.1. */
  readonly spread?: number
  /** `log-normal`: coefficient of variation. 0.01 to 20. Default: 1. */
  readonly cv?: number
  /** `pareto`: the shape; the lower, the heavier the tail. 1.05 to 20. Default: 2.5. */
  readonly shape?: number
  /** `data`: measured values in milliseconds, each as likely as any other. */
  readonly valuesMs?: readonly number[]
}

export interface ChangeFile {
  /** When. Seconds. */
  readonly atS: number
  /** So many servers from then on. Whole, 1 to 10000. */
  readonly servers?: number
  /** Speed of all servers from then on: 1 is normal, 0 stands still. 0 to 100. */
  readonly speed?: number
  /** Over how long the speed changes, in small steps. Seconds. Default: at once. */
  readonly withinS?: number
  /** Servers that go drop what they have begun. Default: false. */
  readonly abrupt?: boolean
  /** The operator tells Tidegate of it. Default: false. */
  readonly announced?: boolean
}

export interface EdgeFile {
  /** Places with a relay of their own. Whole, 1 to 300. Default: 1. */
  readonly colos?: number
  /** Isolates in each colo. Whole, 1 to 100. Default: 1. */
  readonly isolates?: number
  /** How uneven the colos are: the k-th sees 1/k^skew of what the first sees. 0 to 3. Default: 0. */
  readonly skew?: number
  /** Part of the reports that get lost. 0 to 0.9. Default: 0. */
  readonly lost?: number
  /** Part of the reports that come two seconds late. 0 to 1. Default: 0. */
  readonly late?: number
}
