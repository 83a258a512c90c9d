import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { stopwatch } from '../../tools/stopwatch.ts'
import { PLANET, planetFigure } from '../edge/planet.ts'
import { table } from '../report/table.ts'

export const planet = strict(
  defineCommand({
    meta: {
      name: 'planet',
      description:
        '330 data centres and 20,000 isolates: messages at each object, and a 20-fold crowd in one region.',
    },
    args: {
      seed: { type: 'string', description: 'Of the visitors', default: '1' },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args: { seed, json } }) {
      const figure = await planetFigure({ ...PLANET, seed: Number(seed) }, stopwatch())
      if (json) {
        console.log(JSON.stringify(figure, null, 2))
        return
      }
      const { dataCentres, isolates, objects, largestReport, largestPlan, coordinatorMs } = figure
      console.log(`${dataCentres} data centres, ${isolates} isolates\n`)
      const rows = objects.map(({ kind, when, objects, mostPerSecond, perSecond }) => [
        ...[kind, String(objects), when, String(mostPerSecond), perSecond.toFixed(1)],
      ])
      console.log(table(['object', 'number', '', 'most in a second', 'mean'], rows))
      console.log(`
Largest report ${largestReport} bytes, largest plan ${largestPlan} bytes, as JSON.
The coordinator works ${coordinatorMs.toFixed(1)} ms a second.

Second by second from the onset of the crowd, in parts of the limit:
offered  ${figure.offered.map((part) => part.toFixed(2)).join(' ')}
admitted ${figure.admitted.map((part) => part.toFixed(2)).join(' ')}`)
    },
  }),
)
