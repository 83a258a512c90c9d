import { table } from '../report/table.ts'
import type { Clairvoyants } from './clairvoyants.ts'
import { kindRows } from './kinds.ts'
import { lineOf } from './line.ts'
import type { Row } from './policies.ts'
import { summaryOf } from './result.ts'
import type { WorldSpec } from './spec.ts'

export interface WorldsOutcome {
  readonly worlds: readonly WorldSpec[]
  readonly clairvoyants: ReadonlyMap<string, Clairvoyants>
  readonly rows: readonly Row[]
  /** Every run that was asked for has been made. */
  readonly complete: boolean
}

const WORST = 5
const fixed = (value: number): string => value.toFixed(3)

/** A line for each policy, best score first, and the worlds in which the first of them does worst. */
export function summaryText({ worlds, rows, clairvoyants, complete }: WorldsOutcome): string {
  const lines = rows
    .map((row) => ({ row, summary: summaryOf(row.results) }))
    .sort((a, b) => b.summary.score - a.summary.score)
  const heads = ['policy', 'worlds', 'mean share', 'p10', 'worst', 'in', 'violations', 'score', 'of varying'] // biome-ignore format: one line
  const cells = lines.map(({ row: { name }, summary }) => [
    name,
    String(summary.worlds),
    fixed(summary.share),
    fixed(summary.tenth),
    fixed(summary.worst),
    summary.worstWorld,
    fixed(summary.violations),
    fixed(summary.score),
    fixed(summary.ofVarying),
  ])
  const chosen = rows.filter(({ name, policy }) => name !== policy)
  return [
    table(heads, cells),
    '',
    varyingText([...clairvoyants.values()]),
    ...chosen.map(({ name, policy }) => `${name}: ${policy}`),
    ...(complete ? [] : ['It was stopped before its end: this is what was done by then.']),
    '',
    ...rows.slice(0, 1).map((row) => worstText(row, worlds)),
  ].join('\n')
}

function varyingText(clairvoyants: readonly Clairvoyants[]): string {
  const gains = clairvoyants.map(gainOf)
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
  return `The clairvoyant that varies its load reaches ${fixed(mean)} of the constant one's value in the mean, ${fixed(Math.max(...gains))} at the most.`
}

/** What varying the load is worth; nothing where the constant clairvoyant reaches nothing. */
function gainOf({ constant, varying }: Pick<Clairvoyants, 'constant' | 'varying'>): number {
  return constant.inSlaValue === 0 ? 1 : varying.inSlaValue / constant.inSlaValue
}

function worstText({ name, results }: Row, worlds: readonly WorldSpec[]): string {
  const worst = results.toSorted((a, b) => a.score - b.score).slice(0, WORST)
  const lineFor = (world: string) => lineOf(worlds.find((one) => one.name === world)!)
  return [
    `Worst worlds of ${name}, by score (run one alone with --only NAME):`,
    ...worst.map(
      ({ world, share, violations }) =>
        `  ${world}: share ${fixed(share)}, violations ${fixed(violations)}: ${lineFor(world)}`,
    ),
  ].join('\n')
}

/** World by world. */
export function worldsText({ worlds, rows, clairvoyants }: WorldsOutcome): string {
  const heads = [
    'world',
    'policy',
    'share',
    'uncut',
    'of varying',
    'violations',
    'clairv. missed',
    'varying',
  ]
  const cells = worlds.flatMap(({ name }) =>
    rows.flatMap((row) =>
      row.results
        .filter(({ world }) => world === name)
        .map((result) => {
          const { constant, varying } = clairvoyants.get(name)!
          return [
            name,
            row.name,
            fixed(result.share),
            fixed(result.uncut),
            fixed(result.ofVarying),
            fixed(result.violations),
            `${constant.windowsMissed}/${constant.windows}`,
            fixed(gainOf({ constant, varying })),
          ]
        }),
    ),
  )
  const lines = worlds.map((world) => `${world.name}: ${lineOf(world)}`)
  return [table(heads, cells), '', ...lines].join('\n')
}

/** Where the policy loses: shares and violations by kind of world. */
export function kindsText({ worlds, rows }: WorldsOutcome): string {
  return rows
    .map(({ name, results }) => {
      const cells = kindRows(worlds, results).map((row) => [
        `${row.kind}: ${row.value}`,
        String(row.worlds),
        fixed(row.share),
        fixed(row.violations),
      ])
      return table([name, 'worlds', 'mean share', 'violations'], cells)
    })
    .join('\n\n')
}

/** The same for programs. */
export function worldsJson({ worlds, rows, clairvoyants, complete }: WorldsOutcome) {
  return {
    complete,
    policies: Object.fromEntries(
      rows.map(({ name, policy, results }) => [
        name,
        { setting: policy, ...summaryOf(results), kinds: kindRows(worlds, results) },
      ]),
    ),
    worlds: worlds.map((world) => ({
      ...world,
      clairvoyants: clairvoyants.get(world.name),
      policies: Object.fromEntries(
        rows.flatMap((row) =>
          row.results.filter((result) => result.world === world.name).map((r) => [row.name, r]),
        ),
      ),
    })),
  }
}
