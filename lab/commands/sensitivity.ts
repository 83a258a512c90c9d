import { defineCommand } from 'citty'
import { SOC_LQR_OPTIONS } from '../../src/learners/soc-lqr/options.ts'
import { strict } from '../../tools/known-options.ts'
import { constantsOfLearner } from '../jobs/other-constant.ts'
import { drawWorld } from '../worlds/draw-world.ts'
import { FIRST_REPORT_SEED } from '../worlds/looks.ts'
import { changesOf, sensitivityText } from '../worlds/sensitivity.ts'
import { namesIn } from './names.ts'
import { playChanges } from './play-changes.ts'
import { findClairvoyants } from './play-worlds.ts'
import { fail, Session } from './session.ts'

export const sensitivity = strict(
  defineCommand({
    meta: {
      name: 'sensitivity',
      description:
        'Each number of soc-lqr, option or constant, at half and at double, on random worlds.',
    },
    args: {
      seed: { type: 'string', description: 'Of the worlds, below 1000', default: '61' },
      count: { type: 'string', description: 'How many worlds', default: '24' },
      only: {
        type: 'string',
        description:
          'Numbers with commas between them, as certainty or capacity.CERTAIN (default: all)',
      },
      'one-isolate': {
        type: 'boolean',
        description: 'A single isolate without faults, which is quicker, not the drawn edge',
        default: true,
      },
      jobs: { type: 'string', description: 'Threads (default: all cores)' },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args }) {
      const [seed, count] = [Number(args.seed), Number(args.count)]
      if (!Number.isInteger(seed) || seed < 0 || seed >= FIRST_REPORT_SEED) {
        fail(
          `--seed: expected a whole number from 0, below ${FIRST_REPORT_SEED}, got "${args.seed}". Worlds from ${FIRST_REPORT_SEED} on are for reports only.`,
        )
        return
      }
      if (!Number.isInteger(count) || count < 1) {
        fail(`--count: expected a whole number from 1, got "${args.count}".`)
        return
      }
      const session = new Session(args.jobs === undefined ? undefined : Number(args.jobs))
      try {
        const all = changesOf(SOC_LQR_OPTIONS, constantsOfLearner())
        const known = [...new Set(all.map(({ name }) => name))]
        const chosen = args.only === undefined ? known : namesIn(args.only, known, ONLY)
        const changes = all.filter(({ name }) => chosen.includes(name))
        const oneIsolate = args['one-isolate']
        const worlds = Array.from({ length: count }, (_, index) => drawWorld(seed, index))
        const clairvoyants = await findClairvoyants(session, worlds, false)
        const found = await playChanges(session, { worlds, clairvoyants, oneIsolate, changes })
        if (found === null) return
        console.log(args.json ? JSON.stringify(found, null, 2) : sensitivityText(found))
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        fail(error.message)
      } finally {
        session.close()
      }
    },
  }),
)

const ONLY = { flag: '--only', one: 'a number of soc-lqr', all: 'numbers' }
