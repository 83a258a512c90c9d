import { defineCommand, runMain } from 'citty'
import { runBundle } from './bundle/run.ts'
import { runCoordinator } from './coordinator/run.ts'
import { GROUPS, PROXYING } from './edge/groups.ts'
import { runEdge } from './edge/run.ts'
import { runLab } from './lab/run.ts'
import { allocationsOf } from './micro/allocations.ts'
import { judging } from './micro/edge-tasks.ts'
import { runMicro } from './micro/run.ts'
import { runPolicing } from './policing/run.ts'
import type { Figures } from './report/figures.ts'
import { jsonOf } from './report/json.ts'
import { textOf } from './report/text.ts'
import { readVersions } from './report/versions.ts'

const PARTS = ['edge', 'micro', 'policing', 'coordinator', 'bundle', 'lab'] as const
/** Explains the figures of the others. It runs only when it is named. */
const PROXYING_PART = 'proxying'
type Part = (typeof PARTS)[number] | typeof PROXYING_PART

/** Enough for an interval of a few per cent on an idle machine. */
const THOROUGH = {
  edge: { rounds: 2, cycles: 36, sliceMs: 200, warmUpMs: 2500 },
  micro: { sampleMs: 2, samples: 31 },
  policing: { turns: 5, sampleMs: 2, samples: 15, rounds: 200, warmUpRounds: 50 },
  coordinator: { ticks: 25, relayRounds: 3, relayMs: 2000 },
  startUps: 11,
}

/** Shows that everything runs, with rough figures. */
const QUICK = {
  edge: { rounds: 1, cycles: 8, sliceMs: 200, warmUpMs: 400 },
  micro: { sampleMs: 1, samples: 11 },
  policing: { turns: 2, sampleMs: 1, samples: 11, rounds: 50, warmUpRounds: 20 },
  coordinator: { ticks: 9, relayRounds: 1, relayMs: 500 },
  startUps: 3,
}

const command = defineCommand({
  meta: {
    name: 'npm run bench --',
    description:
      'Measure what the gate costs, side by side with a bare Worker and with other limiters.',
  },
  args: {
    part: {
      type: 'positional',
      required: false,
      description: `${PARTS.join(', ')}; default: all of them. policing: threshold against batch policing. Or ${PROXYING_PART}: what its parts cost`,
    },
    json: { type: 'boolean', description: 'Print figures for programs' },
    quick: {
      type: 'boolean',
      description: 'One or two minutes instead of nine, with wide intervals',
    },
    cycles: {
      type: 'string',
      description: 'Number of cycles through the variants in each round',
      valueHint: 'N',
    },
  },
  async run({ args }) {
    const named = ([...PARTS, PROXYING_PART] as const).filter((part) => part === args.part)
    const parts: readonly Part[] = args.part === undefined ? PARTS : named
    const cycles = Number(args.cycles ?? (args.quick ? QUICK : THOROUGH).edge.cycles)
    if (parts.length === 0 || !(Number.isInteger(cycles) && cycles > 1)) {
      console.error(
        parts.length === 0
          ? `Expected one of ${PARTS.join(', ')}, ${PROXYING_PART}, got "${args.part}".`
          : `--cycles: expected a whole number from 2 on, got "${args.cycles}".`,
      )
      process.exitCode = 1
      return
    }
    const figures = await measureAll(parts, args.quick === true, cycles)
    console.log(args.json ? JSON.stringify(jsonOf(figures), null, 2) : textOf(figures))
  },
})

async function measureAll(
  parts: readonly Part[],
  quick: boolean,
  cycles: number,
): Promise<Figures> {
  const timing = quick ? QUICK : THOROUGH
  const startedAt = performance.now()
  const say = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.error(`${String(seconds).padStart(4)} s  ${text}`)
  }
  const versions = await readVersions()
  if (versions.load !== undefined && !versions.load.startsWith('wrk'))
    say('wrk is not installed (Debian: apt-get install wrk): using autocannon, which is less even')
  if (versions.nginx === undefined) say('nginx is not installed: it is not measured')
  const has = (part: Part): boolean => parts.includes(part)
  const groups = [...(has('edge') ? GROUPS : []), ...(has(PROXYING_PART) ? [PROXYING] : [])]
  return {
    versions,
    ...(has('micro') ? { micro: await micro(timing.micro, say) } : {}),
    ...(has('policing') ? { policing: await runPolicing(timing.policing, say) } : {}),
    ...(has('bundle') ? { bundle: await runBundle(timing.startUps, say) } : {}),
    ...(has('coordinator') ? { coordinator: await runCoordinator(timing.coordinator, say) } : {}),
    ...(has('lab') ? { lab: runLab(say) } : {}),
    ...(groups.length > 0 ? { edge: await runEdge(groups, { ...timing.edge, cycles }, say) } : {}),
  }
}

async function micro(timing: typeof THOROUGH.micro, say: (text: string) => void) {
  const refusal = await allocationsOf(judging())
  return { ...(await runMicro(timing, say)), refusal }
}

process.setMaxListeners(100) // Each server adds a listener that ends its process with this one.
await runMain(command)
