import type { Config, Route, RouteClass } from '../src/config/config.ts'

/** The routes and classes of a configuration as a table, one line for each class. */
export function summary(config: Config): string {
  const rows = config.routes.flatMap((route) =>
    route.classes.map((one, i) => [
      ...(i === 0 ? routeCells(route) : NO_CELLS),
      ...classCells(one),
    ]),
  )
  return table([HEADINGS, ...rows])
}

const HEADINGS = [
  ...['route', 'match', 'origin', 'target', 'learner', 'mode'],
  ...['class', 'value', 'guaranteed'],
]

function routeCells({ name, match, origin, sla, learner, mode }: Route): string[] {
  const { host, path } = match
  return [
    name,
    host === '*' ? path : `${host}${path}`,
    origin === null ? 'the handlers' : origin.servers.map(({ url }) => url).join(' '),
    `p${sla.percentile} ${sla.targets.map(({ targetMs }) => targetMs).join('/')} ms`,
    learner.name,
    mode,
  ]
}

const NO_CELLS = ['', '', '', '', '', '']

function classCells({ name, value, guaranteed }: RouteClass): string[] {
  return [name, `${value}`, guaranteed === 0 ? '' : `${guaranteed}/s`]
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
