import type { WorldSpec } from '../../lab/worlds/spec.ts'

/** A world of the lab with nothing special: a step to twice the capacity after a calm of 30 s, behind one isolate. */
export function plainWorld({ origin, traffic, edge, ...rest }: Changes = {}): WorldSpec {
  return {
    name: '1.0',
    seed: 1,
    index: 0,
    origin: {
      servers: 2,
      service: { law: 'constant', meanMs: 100 },
      discipline: 'fifo',
      thrashesAbove: null,
      wastesWork: false,
      failsAbove: null,
      ...origin,
    },
    sla: { percentile: 95, targetMs: 500, windowMs: 60_000 },
    traffic: {
      session: null,
      saturationRate: 20,
      calm: 0.5,
      overload: 2,
      arrivals: { shape: 'step' },
      patienceMs: 30_000,
      retries: { atOnce: 0, asTold: 0, most: 1 },
      resend: null,
      classes: [],
      ...traffic,
    },
    trouble: { kind: 'none' },
    edge: {
      isolates: 1,
      colos: 1,
      skew: 0,
      requestsPerIsolate: 40,
      idleMs: 60_000,
      lifeMs: null,
      coordinatorMs: 40,
      lost: 0,
      late: 0,
      ...edge,
    },
    onsetS: 30,
    seconds: 270,
    ...rest,
  }
}

type Changes = Partial<Omit<WorldSpec, 'origin' | 'traffic' | 'edge'>> & {
  readonly origin?: Partial<WorldSpec['origin']>
  readonly traffic?: Partial<WorldSpec['traffic']>
  readonly edge?: Partial<WorldSpec['edge']>
}
