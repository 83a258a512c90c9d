import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { WAITING_CASES } from '../queue/cases.ts'
import { type WaitingFigure, waitingFigure } from '../queue/waiting-figure.ts'
import { table } from '../report/table.ts'

/** `npm run lab -- waiting`: crowds before a waiting room. */
export const waiting = strict(
  defineCommand({
    meta: {
      name: 'waiting',
      description: 'Crowds before a waiting room: use of the limit, order, estimates.',
    },
    args: {
      seed: { type: 'string', description: 'Of the visitors', default: '1' },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args: { seed, json } }) {
      const figures: WaitingFigure[] = []
      for (const one of WAITING_CASES) figures.push(await waitingFigure(one, Number(seed)))
      if (json) console.log(JSON.stringify(figures, null, 2))
      else console.log(`${tableOf(figures)}\n\n${LEGEND}`)
    },
  }),
)

const HEAD = [
  'crowd',
  'most waiting',
  'used',
  'least',
  'most',
  'overtaken',
  'promise kept',
  'width s',
]

function tableOf(figures: readonly WaitingFigure[]): string {
  const rows = figures.map(({ name, promises, ...of }) => {
    const { early, kept, late } = promises
    const part = (100 * kept) / (early + kept + late)
    return [
      ...[name, String(of.mostWaiting), of.used.toFixed(3), of.leastUsed.toFixed(3)],
      ...[of.mostUsed.toFixed(3), String(of.overtaken), `${part.toFixed(0)} %`],
      of.widthS.toFixed(0),
    ]
  })
  return table(HEAD, rows)
}

const LEGEND = `Used: entries over the limit while a queue of at least 5 s waits; least and most in any 10 s of it. Overtaken: a
visitor was kept out although a later one had entered more than two ticks before. Promise kept: entered within the
range that was on the screen at a random moment of the wait.`
