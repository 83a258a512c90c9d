import type { OptionTable } from '../lib/option-table.ts'
import { AIMD_OPTIONS } from './aimd/options.ts'
import { FIXED_OPTIONS } from './fixed/options.ts'
import { LQR_OPTIONS } from './lqr/options.ts'
import { PAC_OPTIONS } from './pac/options.ts'
import { SOC_OPTIONS } from './soc/options.ts'
import { SOC_LQR_OPTIONS } from './soc-lqr/options.ts'
import { TBAC_OPTIONS } from './tbac/options.ts'

/**
 * The options of every learner, by which a configuration is checked. An isolate checks configurations but does not
 * learn, so this file imports option tables only and keeps the learners out of the isolate's bundle.
 */
export const LEARNER_OPTIONS = {
  fixed: FIXED_OPTIONS,
  aimd: AIMD_OPTIONS,
  tbac: TBAC_OPTIONS,
  pac: PAC_OPTIONS,
  lqr: LQR_OPTIONS,
  soc: SOC_OPTIONS,
  'soc-lqr': SOC_LQR_OPTIONS,
} as const satisfies Readonly<Record<string, OptionTable>>
