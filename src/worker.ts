import type { TidegateConfig } from './config/form.ts'
import { loadConfig } from './config/resolve.ts'
import type { SecretsEnv } from './config/secrets.ts'
import { LEARNER_OPTIONS } from './control/learners/tables.ts'
import { standAlone } from './stand-alone.ts'

/** The stand-alone Worker for an entry of your own. Config and secrets are checked here, before anything is served. */
export function worker(input: TidegateConfig, env: SecretsEnv) {
  return standAlone(loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS }), env)
}
