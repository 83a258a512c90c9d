import { LEARNER_OPTIONS } from '../learners/option-tables.ts'
import type { Config } from './config.ts'
import { loadConfig } from './load.ts'

/** The configuration of a stand-alone Worker: every route has an origin. */
export function loadStandAloneConfig(input: unknown): Config {
  return loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
}
