import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { stopwatch } from '../../tools/stopwatch.ts'
import {
  MOST_PER_SECOND,
  PLANET,
  type PlanetFigure,
  planetFigure,
  SMALL_PLANET,
} from '../edge/planet.ts'
import type { Form } from '../experiments/experiment.ts'
import { table } from '../report/table.ts'
import type { Done } from './run-one.ts'
import { fail } from './session.ts'

const TEXT =
  '330 data centres and 20,000 isolates: messages at each object, and a 20-fold crowd in one region.'

/** The planet among the names of `run`. */
export const PLANET_RUN = { name: 'planet', text: TEXT } as const

export const planet = strict(
  defineCommand({
    meta: { name: 'planet', description: TEXT },
    args: {
      seed: { type: 'string', description: 'Of the visitors', default: '1' },
      short: {
        type: 'boolean',
        description: 'The short form, as in CI: fewer isolates and requests',
        default: false,
      },
      most: {
        type: 'string',
        description:
          'Requests per second that an object may get; with more the command ends with 1',
        default: String(MOST_PER_SECOND),
      },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args: { seed, short, most, json } }) {
      const done = await runPlanet(short ? 'short' : 'full', Number(seed), Number(most))
      console.log(json ? JSON.stringify(done.json, null, 2) : done.text)
    },
  }),
)

/** Fails if an object gets more than `most` requests in a second. */
export async function runPlanet(
  form: Form,
  seed = 1,
  most: number = MOST_PER_SECOND,
): Promise<Done> {
  const options = form === 'short' ? SMALL_PLANET : PLANET
  const figure = await planetFigure({ ...options, seed }, stopwatch())
  for (const { kind, when, mostPerSecond } of figure.objects)
    if (!(mostPerSecond <= most))
      fail(
        `A ${kind} gets ${mostPerSecond} requests in a second (${when}), and should get at most ${most}.`,
      )
  return { name: PLANET_RUN.name, text: planetText(figure), json: figure }
}

function planetText(figure: PlanetFigure): string {
  const { dataCentres, isolates, objects, largestReport, largestPlan, coordinatorMs } = figure
  const rows = objects.map(({ kind, when, objects, mostPerSecond, perSecond }) => [
    ...[kind, String(objects), when, String(mostPerSecond), perSecond.toFixed(1)],
  ])
  return `${dataCentres} data centres, ${isolates} isolates

${table(['object', 'number', '', 'most in a second', 'mean'], rows)}

Largest report ${largestReport} bytes, largest plan ${largestPlan} bytes, as JSON.
The coordinator works ${coordinatorMs.toFixed(1)} ms a second.

Second by second from the onset of the crowd, in parts of the limit:
offered  ${figure.offered.map((part) => part.toFixed(2)).join(' ')}
admitted ${figure.admitted.map((part) => part.toFixed(2)).join(' ')}`
}
