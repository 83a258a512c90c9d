import { cataclysmFigure3 } from './cataclysm-figure-3.ts'
import { cataclysmFigure4 } from './cataclysm-figure-4.ts'
import { cataclysmFigure5 } from './cataclysm-figure-5.ts'
import { cataclysmFigure7 } from './cataclysm-figure-7.ts'
import { cataclysmFigure7Provisioned } from './cataclysm-figure-7-provisioned.ts'
import type { Experiment } from './experiment.ts'
import { lqrFigure2 } from './lqr-figure-2.ts'
import { lqrFigure3 } from './lqr-figure-3.ts'
import { lqrFigure4 } from './lqr-figure-4.ts'
import { poolLeastLoaded } from './pool-least-loaded.ts'
import { provisioningFigures7To9 } from './provisioning-figures-7-9.ts'
import { provisioningFigures10And11 } from './provisioning-figures-10-11.ts'
import { provisioningFigures12To15 } from './provisioning-figures-12-15.ts'
import { provisioningTable4 } from './provisioning-table-4.ts'
import { sedaFigure7 } from './seda-figure-7.ts'
import { sedaFigure8 } from './seda-figure-8.ts'
import { sedaFigure10 } from './seda-figure-10.ts'
import { sedaFigure11 } from './seda-figure-11.ts'
import { sedaFigure12 } from './seda-figure-12.ts'
import { sedaFigure13 } from './seda-figure-13.ts'
import { sedaFigure15 } from './seda-figure-15.ts'
import { socFigures5And6 } from './soc-figures-5-6.ts'
import { socFigures7And8 } from './soc-figures-7-8.ts'
import { socFigures9And10 } from './soc-figures-9-10.ts'
import { socFigures11And12 } from './soc-figures-11-12.ts'
import { socFigures13And14 } from './soc-figures-13-14.ts'
import { socFigures15To19 } from './soc-figures-15-19.ts'
import { socFigures20To22 } from './soc-figures-20-22.ts'
import { socFigures23To31 } from './soc-figures-23-31.ts'

/** The papers' experiments. */
export const EXPERIMENTS: readonly Experiment[] = [
  cataclysmFigure3,
  cataclysmFigure4,
  cataclysmFigure5,
  cataclysmFigure7,
  cataclysmFigure7Provisioned,
  lqrFigure2,
  lqrFigure3,
  lqrFigure4,
  sedaFigure7,
  provisioningFigures7To9,
  provisioningFigures10And11,
  provisioningFigures12To15,
  provisioningTable4,
  poolLeastLoaded,
  sedaFigure8,
  sedaFigure10,
  sedaFigure11,
  sedaFigure12,
  sedaFigure13,
  sedaFigure15,
  socFigures5And6,
  socFigures7And8,
  socFigures9And10,
  socFigures11And12,
  socFigures13And14,
  socFigures15To19,
  socFigures20To22,
  socFigures23To31,
]
