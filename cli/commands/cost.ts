import { command, type Outcome, UsageError } from '../command.ts'
import { costAt } from '../cost/by-traffic.ts'
import { useAt } from '../cost/measured-use.ts'
import { type CostLine, monthlyCost, USUAL } from '../cost/monthly.ts'
import { table } from '../view/numbers.ts'

const option = (description: string, standard: number) =>
  ({ type: 'string', description, valueHint: 'N', default: String(standard) }) as const

export default command({
  description: 'Estimate what the platform charges for a gate in a month',
  examples: [
    { line: 'cost 50M', text: '50 million requests a month' },
    { line: 'cost --rps 100', text: '100 requests per second, by measured message counts' },
    { line: 'cost 3M --data-centres 2 --hours 8', text: 'a small site' },
  ],
  args: {
    requests: {
      type: 'positional',
      description: 'Requests per month: 3M, 1.5B',
      valueHint: 'REQUESTS',
      required: false,
    },
    rps: {
      type: 'string',
      description:
        'Instead: requests per second on average, with message counts measured in the lab',
      valueHint: 'N',
    },
    origins: option('Origins', USUAL.origins),
    'data-centres': option('Data centres with traffic, on average', USUAL.dataCentres),
    isolates: option('Isolates that report in a data centre, on average', USUAL.isolates),
    hours: option('Hours of a day with traffic', USUAL.hoursPerDay),
    'cpu-ms': option('Processor time of a request in milliseconds', USUAL.cpuMs),
  },
  async run(args) {
    if (args.rps !== undefined) return costByTraffic(amountOf('--rps', args.rps))
    if (args.requests === undefined)
      throw new UsageError(
        'REQUESTS or --rps: one of them is needed, for example 50M or --rps 100.',
      )
    const usage = {
      requests: amountOf('REQUESTS', args.requests),
      origins: amountOf('--origins', args.origins),
      dataCentres: amountOf('--data-centres', args['data-centres']),
      isolates: amountOf('--isolates', args.isolates),
      hoursPerDay: Math.min(24, amountOf('--hours', args.hours)),
      cpuMs: amountOf('--cpu-ms', args['cpu-ms']),
    }
    const { lines, dollars } = monthlyCost(usage)
    const rows = lines.map(({ name, amount, unit, dollars }) => [
      name,
      amountText(amount),
      unit,
      money(dollars),
    ])
    return {
      text: table([
        ['', 'in a month', 'of', 'dollars'],
        ...rows,
        ['together', '', '', money(dollars)],
      ]),
      remarks:
        'By list prices, without taxes. What the origin saves is not counted. More: docs/cost.md.',
      json: { usage, lines: lines satisfies readonly CostLine[], dollars },
    }
  },
})

function costByTraffic(rps: number): Outcome {
  const { lines, objects, percent } = costAt(rps)
  const rows = lines.map(({ name, amount, unit, dollars }) => [
    ...[name, amountText(amount), unit, money(dollars)],
  ])
  const part = percent === null ? '' : `${percent.toFixed(1)} % of the requests`
  return {
    text: table([
      ['', 'in a month', 'of', 'dollars'],
      ...rows,
      ['Durable Objects together', '', part, money(objects)],
    ]),
    remarks:
      'By list prices, without the plan and processor time. Data centres and isolates are assumptions: docs/cost.md.',
    json: { rps, use: useAt(rps), ...costAt(rps) },
  }
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

function amountOf(name: string, text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmb]?)$/i.exec(text.trim()) ?? []
  if (digits !== undefined && Number(digits) > 0)
    return Number(digits) * FACTORS[unit.toLowerCase()]!
  throw new UsageError(`${name}: expected a number such as 200k, 3M or 1.5B, got "${text}".`)
}

export const money = (dollars: number): string => dollars.toFixed(2)

export function amountText(amount: number): string {
  if (amount >= 1e9) return `${Math.round(amount / 1e8) / 10} B`
  if (amount >= 1e6) return `${Math.round(amount / 1e5) / 10} M`
  return Math.round(amount).toLocaleString('en-US')
}
