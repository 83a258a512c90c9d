import { LEARNERS } from '../../src/learners/registry.ts'

/** Every learner with its defaults, and with the options that change its mode of operation. */
export const CHOICES: readonly { name: string; options: Record<string, unknown> }[] = [
  ...Object.keys(LEARNERS).map((name) => ({ name, options: {} })),
  { name: 'aimd', options: { multiclass: true } },
  { name: 'lqr', options: { intervalMs: 2000 } },
  { name: 'lqr', options: { intervalMs: 2000, excite: true, cycleMs: 20_000 } },
  { name: 'soc', options: { iterationMs: 4000 } },
]
