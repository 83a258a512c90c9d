import type { Config, Route } from '../src/config/config.ts'
import type { DemoOrigin } from './demo-origin.ts'
import type { LocalGate } from './local-gate.ts'
import type { Reached } from './reach.ts'

/** Texts of `tidegate dev`, which `npm start` runs. */

export const DEFAULT_PORT = 8787
export const DEMO_PORT = 8788

export function gatePortTaken(port: number): string {
  return `Port ${port} is in use. Stop the program that listens there, or choose another port with --port.`
}

/** `--port` moves the gate only. The configuration says where the origin is. */
export function demoPortTaken(): string {
  return (
    `Port ${DEMO_PORT} is in use, but the configuration expects the demo origin there. ` +
    'Stop the program that listens there, perhaps another `npm start`, or protect your own origin with --origin URL.'
  )
}

interface Greeting {
  readonly gate: Pick<LocalGate, 'url' | 'adminToken'>
  readonly demo: Pick<DemoOrigin, 'url' | 'capacityPerSecond'> | null
  readonly config: Config
  /** What a first request to each server showed, by its URL. */
  readonly reached: ReadonlyMap<string, Reached>
  /** Whether the tools of the repository are there. */
  readonly hasFlood: boolean
}

export function greeting(started: Greeting): string {
  const { gate, demo, config, reached, hasFlood } = started
  const lines = [
    '',
    `  Dashboard         ${gate.url}/_tidegate/#token=${gate.adminToken}`,
    `  Tidegate runs at  ${gate.url}   (in workerd)`,
    '',
    ...routeLines(config, reached),
  ]
  if (demo)
    lines.push(
      '',
      `  The demo origin collapses above about ${Math.round(demo.capacityPerSecond)} pages/s.`,
    )
  const proposal = demo ? comparison(gate.url) : flood(gate.url)
  lines.push(
    '',
    '  Try next, in another terminal:',
    ...(hasFlood ? [`    ${proposal}`] : []),
    `    ${hasFlood ? 'npm run tidegate -- watch' : 'npx tidegate watch'}    what the gate does, second by second`,
    `    curl -H 'Authorization: Bearer ${gate.adminToken}' ${gate.url}/_tidegate/api/v1/routes`,
    '',
    '  Press Ctrl-C to stop.',
    '',
  )
  return lines.join('\n')
}

function routeLines(config: Config, reached: ReadonlyMap<string, Reached>): readonly string[] {
  const rows = config.routes.flatMap((route) =>
    (route.origin?.servers ?? []).map(({ url }, i) => ({
      name: i === 0 ? route.name : '',
      match: i === 0 ? matchText(route) : '',
      url,
      state: stateText(reached.get(url)),
    })),
  )
  const widthOf = (key: 'name' | 'match' | 'url') => Math.max(...rows.map((row) => row[key].length))
  const [name, match, url] = [widthOf('name'), widthOf('match'), widthOf('url')]
  return rows.map(
    (row) =>
      `  Route ${row.name.padEnd(name)}  ${row.match.padEnd(match)}  →  ${row.url.padEnd(url)}  ${row.state}`,
  )
}

const matchText = ({ match: { host, path } }: Route): string =>
  host === '*' ? path : `${host}${path}`

function stateText(reached: Reached | undefined): string {
  if (reached === undefined) return ''
  return reached.ok
    ? `answers ${reached.status} in ${Math.round(reached.ms)} ms`
    : `CANNOT BE REACHED: ${reached.cause}`
}

/** The flood expects the gate at its default port, so other ports need --target. */
function comparison(url: string): string {
  const target = new URL(url).port === String(DEFAULT_PORT) ? '' : ` --target ${url}`
  return `npm run flood -- --compare${target}    a flash crowd, first without the gate, then with it`
}

function flood(url: string): string {
  return `npm run flood -- --target ${url} --rate 100 --paths /    a flash crowd of ten times 100 requests/s`
}
