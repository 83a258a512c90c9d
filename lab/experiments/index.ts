import { cataclysmFigure3 } from './cataclysm-figure-3.ts'
import { cataclysmFigure4 } from './cataclysm-figure-4.ts'
import { cataclysmFigure5 } from './cataclysm-figure-5.ts'
import { cataclysmFigure7 } from './cataclysm-figure-7.ts'
import type { Experiment } from './experiment.ts'
import { lqrFigure2 } from './lqr-figure-2.ts'
import { lqrFigure4 } from './lqr-figure-4.ts'
import { sedaFigure8 } from './seda-figure-8.ts'
import { sedaFigure10 } from './seda-figure-10.ts'
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
  lqrFigure2,
  lqrFigure4,
  sedaFigure8,
  sedaFigure10,
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
