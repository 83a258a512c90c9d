import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PARTS, type Part } from './chaos/faults.ts'
import { learnIn, runChaos } from './chaos/run.ts'

/** `npm run test:chaos`: random faults of every part under a small flood, and what must hold all the same. */

const OPTIONS = {
  seeds: { standard: 3, text: 'number of runs, each with another schedule' },
  first: { standard: 1, text: 'seed of the first run' },
  seconds: { standard: 12, text: 'how long faults come in a run' },
  learning: { standard: 60, text: 'seconds of learning, once for all runs' },
  'warm-up': {
    standard: 20,
    text: 'seconds before the faults, until as many sessions are there as usual',
  },
} as const

const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
    parts: { type: 'string' },
    help: { type: 'boolean' },
  },
})

const numberOf = (name: keyof typeof OPTIONS): number => {
  const given = (values as Record<string, unknown>)[name]
  const value = given === undefined ? OPTIONS[name].standard : Number(given)
  if (Number.isInteger(value) && value >= 1 && value <= 100_000) return value
  throw new RangeError(`--${name}: expected a whole number from 1 to 100000, got "${given}"`)
}

function partsOf(given: unknown): readonly Part[] {
  if (given === undefined) return PARTS
  const parts = String(given).split(',') as Part[]
  if (parts.every((part) => PARTS.includes(part))) return parts
  throw new RangeError(`--parts: expected some of ${PARTS.join(',')}, got "${given}"`)
}

if (values.help) {
  console.log('Random faults under a small flood.\n')
  for (const name of names)
    console.log(`  --${name.padEnd(8)} ${OPTIONS[name].text} (${OPTIONS[name].standard})`)
  console.log(`  --parts    what fails: some of ${PARTS.join(',')} (all)`)
} else {
  let failed = 0
  const parts = partsOf((values as Record<string, unknown>).parts)
  const [first, seeds] = [numberOf('first'), numberOf('seeds')]
  const learned = await mkdtemp(join(tmpdir(), 'tidegate-learned-'))
  console.log(`learned a limit of ${(await learnIn(learned, numberOf('learning')))?.toFixed(1)}`)
  for (let seed = first; seed < first + seeds; seed++) {
    console.log(`seed ${seed}`)
    const say = (line: string): void => console.log(line)
    const timing = { seconds: numberOf('seconds'), warmUpS: numberOf('warm-up') }
    const { counts, violations, ...found } = await runChaos({
      ...{ seed, ...timing, parts, learned, say },
    })
    const { sent, broken, answers, admittedSessions } = counts
    console.log(
      `  ${found.faults} faults; ${sent} requests, ${broken} broken, answers ${JSON.stringify(answers)}; ` +
        `${admittedSessions} sessions admitted, ${counts.refusedSessions.length} of their requests refused`,
    )
    console.log(
      `  admitted ${found.admitted}, settled ${found.settled} (lost reports explain ${found.lostAtMost}); ` +
        `limit ${found.limitBefore?.toFixed(1)}, then ${found.limitAfter?.toFixed(1)}; ` +
        `${found.actions} actions and ${found.minutes} minutes without a hole`,
    )
    for (const violation of violations) console.log(`  NOT HELD: ${violation}`)
    if (violations.length > 0) failed++
  }
  await rm(learned, { recursive: true, force: true })
  console.log(failed === 0 ? `all ${seeds} seeds hold` : `${failed} of ${seeds} seeds do not hold`)
  process.exitCode = failed === 0 ? 0 : 1
}
