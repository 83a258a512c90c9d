import {
  atLeastZero,
  list,
  nullable,
  number,
  object,
  oneOf,
  positive,
  type StateSchema,
  text,
} from '../lib/state-schema.ts'

/** Checks the capacity rules of a setup, in a report and from storage. */

const share: StateSchema = (value) => positive(value) && (value as number) < 1

const tier = object({
  name: text,
  metric: text,
  servers: positive,
  min: positive,
  max: positive,
  part: nullable(share),
  workers: positive,
  serviceMs: nullable(positive),
  concurrency: nullable(object({ limit: positive, of: oneOf('requests', 'sessions') })),
})

export const isCapacityRules = object({
  tiers: list(tier),
  startupS: atLeastZero,
  predict: object({ percentile: positive, correctionHours: atLeastZero }),
  react: object({
    everyS: positive,
    above: positive,
    refused: atLeastZero,
    below: atLeastZero,
    step: (value) => value === 'model' || number(value),
    maxStep: positive,
    pauseS: atLeastZero,
  }),
  webhook: nullable(text),
  group: nullable(object({ name: text, servers: positive, origins: list(text) })),
})
