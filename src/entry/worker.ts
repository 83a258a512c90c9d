import { loadStandAloneConfig } from '../config/load.ts'
import type { SecretsEnv } from '../config/secrets.ts'
import type { TidegateConfig } from '../config/user-config.ts'
import { standAlone } from './stand-alone.ts'

/** The stand-alone Worker for an entry of your own. Config and secrets are checked here, before anything is served. */
export function worker(input: TidegateConfig, env: SecretsEnv) {
  return standAlone(loadStandAloneConfig(input), env)
}
