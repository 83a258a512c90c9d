import type { OptionTable } from '../lib/option-table.ts'
import { AIMD_OPTIONS } from './aimd/law.ts'
import { FIXED_OPTIONS } from './fixed.ts'
import { LQR_OPTIONS } from './lqr/law.ts'
import { PAC_OPTIONS } from './pac.ts'
import { SOC_OPTIONS } from './soc/options.ts'
import { SOC_LQR_OPTIONS } from './soc-lqr/learner.ts'
import { TBAC_OPTIONS } from './tbac.ts'

/**
 * What the configuration checks a learner's options against. By themselves, so that an edge, which checks a
 * configuration but never learns, does not carry the learners.
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
