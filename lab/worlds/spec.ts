/** A random world as plain data: everything that a run of it needs follows from this and from its seed. */
export interface WorldSpec {
  /** `SEED.INDEX`: by this name a world can be run alone. */
  readonly name: string
  readonly seed: number
  readonly index: number
  readonly origin: OriginSpec
  readonly sla: SlaSpec
  readonly traffic: TrafficSpec
  readonly trouble: TroubleSpec
  readonly edge: EdgeSpec
  /** Calm before the surge, which begins here and lasts to the end. */
  readonly onsetS: number
  readonly seconds: number
}

export type ServiceLaw =
  | { readonly law: 'constant' }
  | { readonly law: 'uniform'; readonly spread: number }
  | { readonly law: 'exponential' }
  | { readonly law: 'log-normal'; readonly cv: number }
  | { readonly law: 'hyperexponential'; readonly cv: number }
  | { readonly law: 'pareto'; readonly shape: number }

export interface OriginSpec {
  readonly servers: number
  readonly service: ServiceLaw & { readonly meanMs: number }
  readonly discipline: 'fifo' | 'sharing'
  /** With more than this many inside, the speed falls in proportion, to a quarter at the least; null: never. */
  readonly thrashesAbove: number | null
  /** Does the origin work on for clients who have left? Under processor sharing it always does. */
  readonly wastesWork: boolean
  /** With so many inside, whoever comes gets a 5xx at once; null: never. */
  readonly failsAbove: number | null
}

export interface SlaSpec {
  readonly percentile: number
  readonly targetMs: number
  readonly windowMs: number
}

export type ArrivalShape =
  | { readonly shape: 'step' }
  | { readonly shape: 'ramp'; readonly riseS: number }
  | { readonly shape: 'pulses'; readonly periodS: number; readonly duty: number }
  | { readonly shape: 'waves'; readonly periodS: number }

export interface SessionSpec {
  /** Mean number of pages; always so many, or geometric. */
  readonly pages: number
  readonly length: 'fixed' | 'geometric'
  readonly thinkMs: number
}

export interface ClassSpec {
  readonly name: string
  readonly value: number
  /** Part of the visitors. */
  readonly part: number
  /** Admissions per second that it is promised. */
  readonly guaranteed: number
}

export interface TrafficSpec {
  /** null: a route without sessions. */
  readonly session: SessionSpec | null
  /** New sessions per second, on request routes requests, that fill the origin. */
  readonly saturationRate: number
  /** Times the saturation rate, before and in the surge. */
  readonly calm: number
  readonly overload: number
  readonly arrivals: ArrivalShape
  readonly patienceMs: number
  /** Parts of the refused who come back. */
  readonly retries: { readonly atOnce: number; readonly asTold: number; readonly most: number }
  /** What failed or took too long is sent again; null: never. */
  readonly resend: { readonly most: number; readonly afterMs: number } | null
  /** Most valuable first; empty: one class. */
  readonly classes: readonly ClassSpec[]
}

/** What happens to the origin's capacity; times in seconds after the onset. */
export type TroubleSpec =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'loss'
      readonly left: number
      readonly atS: number
      /** null: never. */
      readonly backAtS: number | null
      readonly abrupt: boolean
    }
  | { readonly kind: 'return'; readonly left: number; readonly backAtS: number }
  | { readonly kind: 'leak'; readonly left: number; readonly fromS: number; readonly toS: number }
  | { readonly kind: 'pauses'; readonly everyS: number; readonly lengthS: number }

export interface EdgeSpec {
  /** Isolates that run at the peak of the surge, in all colos together. */
  readonly isolates: number
  readonly colos: number
  readonly skew: number
  readonly requestsPerIsolate: number
  readonly idleMs: number
  /** Mean life of an isolate that always has work; null: no end. */
  readonly lifeMs: number | null
  readonly coordinatorMs: number
  /** Parts of the messages that are lost, or two seconds late in the mean. */
  readonly lost: number
  readonly late: number
}
