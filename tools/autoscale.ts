import { parseArgs } from 'node:util'
import { runAutoscale } from './autoscale/trial.ts'

/** `npm run tidegate -- autoscale`: a flood that doubles, in front of the demo with its autoscaler. */

const NUMBERS = {
  pages: { standard: 25, text: 'pages per second in the first step; a server takes about 50' },
  doublings: { standard: 3, text: 'how often the rate doubles' },
  'step-s': { standard: 15, text: 'length of a step in seconds' },
  'hold-s': { standard: 10, text: 'how much longer the last step lasts' },
  'calm-s': { standard: 40, text: 'time afterwards at the first rate, in which servers drain' },
  seed: { standard: 1, text: 'the same seed gives the same crowd' },
} as const

const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const numberOf = (name: keyof typeof NUMBERS): number => {
  const given = (values as Record<string, unknown>)[name]
  const value = given === undefined ? NUMBERS[name].standard : Number(given)
  if (Number.isFinite(value) && value >= 0 && value <= 1000) return value
  throw new RangeError(`--${name}: expected a number from 0 to 1000, got "${given}"`)
}

if (values.help) {
  console.log('A flood that doubles, in front of the demo with its autoscaler.\n')
  for (const name of names)
    console.log(`  --${name.padEnd(10)} ${NUMBERS[name].text} (${NUMBERS[name].standard})`)
} else {
  const result = await runAutoscale({
    pagesPerSecond: numberOf('pages'),
    doublings: numberOf('doublings'),
    stepS: numberOf('step-s'),
    holdS: numberOf('hold-s'),
    calmS: numberOf('calm-s'),
    seed: numberOf('seed'),
    ...(values.json ? {} : { say: (line: string) => console.log(line) }),
  })
  if (values.json) console.log(JSON.stringify(result, null, 2))
  else {
    const { steps, ...rest } = result
    console.log('\n  pages/s  servers  refused  in the last third  p95 ms  in the last third')
    for (const step of steps)
      console.log(
        `  ${String(step.pagesPerSecond).padStart(7)}${String(step.servers).padStart(9)}` +
          `${percent(step.refused).padStart(9)}${percent(step.refusedLate).padStart(19)}` +
          `${step.p95Ms.toFixed(0).padStart(8)}${step.p95LateMs.toFixed(0).padStart(19)}`,
      )
    console.log(
      `\n  ${rest.admitted} sessions admitted, ${rest.broken} of them broken; ` +
        `at most ${rest.mostServers} servers, ${rest.serversAfter} at the end`,
    )
  }
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`
}
