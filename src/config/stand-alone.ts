import { LEARNER_OPTIONS } from '../control/learners/tables.ts'
import { loadConfig } from './resolve.ts'
import type { Config } from './types.ts'

/** The configuration of a stand-alone Worker: every route has an origin. */
export function loadStandAloneConfig(input: unknown): Config {
  return loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
}
