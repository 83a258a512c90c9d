import { loadStandAloneConfig } from '../config/load.ts'
import type { SecretsEnv } from '../config/secrets.ts'
import type { TidegateConfig } from '../config/user-config.ts'
import { standAlone } from './stand-alone.ts'

/** The stand-alone Worker for your own entry module. It checks config and secrets before it serves anything. */
export function worker(input: TidegateConfig, env: SecretsEnv) {
  return standAlone(loadStandAloneConfig(input), env)
}
