import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { recordLooks } from '../worlds/looks.ts'
import { rowsFor, WORLD_POLICY_NAMES } from '../worlds/policies.ts'
import { kindsText, summaryText, worldsJson, worldsText } from '../worlds/texts.ts'
import { namesIn } from './names.ts'
import { playWorlds } from './play-worlds.ts'
import { fail, Session } from './session.ts'

export const worlds = worldsCommand(recordLooks)

/** `record` is told of every look at worlds, and keeps those that are to be kept. */
export function worldsCommand(record: typeof recordLooks) {
  return strict(
    defineCommand({
      meta: {
        name: 'worlds',
        description: 'Policies on random worlds, beside two clairvoyants (docs/worlds.md).',
      },
      args: {
        seed: {
          type: 'string',
          description: 'Below 1000 to develop, from 1000 on to report',
          default: '1',
        },
        count: { type: 'string', description: 'How many worlds', default: '24' },
        only: { type: 'string', description: 'One world by its name, as 1.17' },
        policy: {
          type: 'string',
          description:
            'Names with commas between them; "rivals": all rivals; "NAME (best)": its best setting',
          default: 'soc-lqr',
        },
        jobs: { type: 'string', description: 'Threads (default: all cores)' },
        'one-isolate': {
          type: 'boolean',
          description: 'A single isolate without faults instead of the drawn edge',
          default: false,
        },
        worlds: { type: 'boolean', description: 'Also a line for each world', default: false },
        kinds: { type: 'boolean', description: 'Also means by kind of world', default: false },
        fresh: { type: 'boolean', description: 'Do not use stored clairvoyants', default: false },
        date: { type: 'string', description: 'For the record of reports (default: today)' },
        json: { type: 'boolean', description: 'Print JSON', default: false },
      },
      async run({ args }) {
        const [seed, first, count] = numbersOf(args)
        if (![seed, first, count].every(Number.isInteger) || count! < 1) {
          fail(
            '--seed and --count: expected whole numbers, --only: SEED.INDEX. Write for example --seed 1 --count 24.',
          )
          return
        }
        const session = new Session(args.jobs === undefined ? undefined : Number(args.jobs))
        try {
          const rows = rowsFor(namesIn(args.policy, WORLD_POLICY_NAMES))
          const oneIsolate = args['one-isolate']
          const indices = Array.from({ length: count! }, (_, i) => first! + i)
          const outcome = await playWorlds(session, {
            seed: seed!,
            indices,
            rows,
            oneIsolate,
            fresh: args.fresh,
          })
          if (outcome.rows.length === 0) return
          const date = args.date ?? new Date().toISOString().slice(0, 10)
          await record(
            outcome.rows.map(({ name, results }) => ({
              date,
              seed: seed!,
              policy: `${name}${oneIsolate ? ' behind one isolate' : ''}`,
              results,
            })),
          )
          if (args.json) {
            console.log(JSON.stringify(worldsJson(outcome), null, 2))
            return
          }
          console.log(summaryText(outcome))
          if (args.kinds) console.log(`\n${kindsText(outcome)}`)
          if (args.worlds || args.only !== undefined) console.log(`\n${worldsText(outcome)}`)
        } catch (error) {
          if (!(error instanceof RangeError)) throw error
          fail(error.message)
        } finally {
          session.close()
        }
      },
    }),
  )
}

/** Seed, first index, count. */
function numbersOf(args: {
  seed: string
  count: string
  only?: string | undefined
}): readonly number[] {
  if (args.only === undefined) return [Number(args.seed), 0, Number(args.count)]
  return [...args.only.split('.', 2).map(Number), 1]
}
