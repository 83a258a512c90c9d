import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { WAITING_CASES } from '../queue/cases.ts'
import { type SizeFigure, sizeFigure } from '../queue/size-figure.ts'
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
      size: {
        type: 'string',
        description: 'Instead: the cost of queues of up to so many visitors',
        valueHint: 'VISITORS',
      },
      json: { type: 'boolean', description: 'Print JSON', default: false },
    },
    async run({ args: { seed, size, json } }) {
      if (size !== undefined) return void (await printSizes(wholeNumber(size), Number(seed), json))
      const figures: WaitingFigure[] = []
      for (const one of WAITING_CASES) figures.push(await waitingFigure(one, Number(seed)))
      if (json) console.log(JSON.stringify(figures, null, 2))
      else console.log(`${tableOf(figures)}\n\n${LEGEND}`)
    },
  }),
)

async function printSizes(most: number, seed: number, json: boolean): Promise<void> {
  const figures: SizeFigure[] = []
  for (let visitors = 1000; visitors <= most; visitors *= 10)
    figures.push(await sizeFigure(visitors, seed))
  if (json) return console.log(JSON.stringify(figures, null, 2))
  const rows = figures.map((of) => [
    ...[of.visitors, of.waiting, of.counted, of.isolateReportBytes, of.relayReportBytes].map(
      String,
    ),
    ...[of.planBytes, of.stateBytes].map(String),
    ...[of.relayCalls.toFixed(1), of.coordinatorCalls.toFixed(1)],
  ])
  console.log(`${table(SIZE_HEAD, rows)}\n\n${SIZE_LEGEND}`)
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{3,6}$/.test(text))
    throw new Error(`--size: expected a whole number from 1000 to 9999999, got "${text}".`)
  return Number(text)
}

const SIZE_HEAD = [
  ...['visitors', 'waiting', 'counted', 'isolate report', 'relay report', 'plan', 'state'],
  ...['relay calls/s', 'coordinator calls/s'],
]

const SIZE_LEGEND = `Two data centres with four isolates each; all visitors come within 25 s and refresh as they are told. Waiting: people
who wait after 50 s; counted: as the coordinator counts them. The largest report of an isolate and of a relay, the largest plan and the
coordinator's state, in bytes of JSON.`

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
