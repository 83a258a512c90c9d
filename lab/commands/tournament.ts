import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { outcomeJson } from '../tournament/json.ts'
import { FULL, QUICK } from '../tournament/schedule.ts'
import { outcomeText } from '../tournament/texts.ts'
import { tournament as play } from '../tournament/tournament.ts'
import { Session } from './session.ts'

export const tournament = strict(
  defineCommand({
    meta: {
      name: 'tournament',
      description:
        'Run every learner and every rival on every scenario, compared with a clairvoyant.',
    },
    args: {
      quick: { type: 'boolean', description: 'Three seeds instead of ten', default: false },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args }) {
      const session = new Session()
      const outcome = await play(args.quick ? QUICK : FULL, (jobs) =>
        session.run('tournament', jobs),
      )
      session.close()
      console.log(args.json ? JSON.stringify(outcomeJson(outcome), null, 2) : outcomeText(outcome))
    },
  }),
)
