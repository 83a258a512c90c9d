import { runMain } from 'citty'
import { strictGroup } from '../tools/known-options.ts'
import { bestLoads } from './commands/best-loads.ts'
import { costs, enforcement, newborn } from './commands/edge-figures.ts'
import { list } from './commands/list.ts'
import { planet } from './commands/planet.ts'
import { report } from './commands/report.ts'
import { run } from './commands/run.ts'
import { schema } from './commands/schema.ts'
import { sensitivity } from './commands/sensitivity.ts'
import { siteUses } from './commands/site-use.ts'
import { tournament } from './commands/tournament.ts'
import { trials } from './commands/trials.ts'
import { waiting } from './commands/waiting.ts'
import { worlds } from './commands/worlds.ts'

await runMain(
  strictGroup({
    meta: {
      name: 'npm run lab --',
      description:
        "Tidegate's lab: the papers' experiments, rivals and a clairvoyant in simulated time.",
    },
    subCommands: {
      list,
      run,
      tournament,
      report,
      schema,
      'best-loads': bestLoads,
      worlds,
      sensitivity,
      newborn,
      enforcement,
      trials,
      costs,
      waiting,
      planet,
      'site-use': siteUses,
    },
  }),
)
