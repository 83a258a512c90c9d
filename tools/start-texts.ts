import type { DemoOrigin } from './demo-origin.ts'
import type { LocalGate } from './local-gate.ts'

/** What `npm start` says. */

export const DEFAULT_PORT = 8787
export const DEMO_PORT = 8788

export function gatePortTaken(port: number): string {
  return `Port ${port} is taken. End what listens there, or choose another with --port.`
}

/** `--port` moves the gate; where the origin is, the configuration says. */
export function demoPortTaken(): string {
  return (
    `Port ${DEMO_PORT} is taken, and the demo origin is to listen there: the configuration names it. ` +
    'End what listens there, perhaps another `npm start`, or protect an origin of your own with --origin URL.'
  )
}

export function greeting(
  gate: Pick<LocalGate, 'url' | 'adminToken'>,
  demo: Pick<DemoOrigin, 'url' | 'capacityPerSecond'> | null,
  routes: number,
): string {
  const lines = [
    '',
    `  Tidegate is up: ${gate.url}   (${routes} route${routes === 1 ? '' : 's'}, in workerd)`,
  ]
  if (demo)
    lines.push(
      `  Demo origin:    ${demo.url}   (about ${Math.round(demo.capacityPerSecond)} pages/s, then it collapses)`,
    )
  lines.push(
    '',
    '  Try next, in another terminal:',
    `    ${demo ? comparison(gate.url) : flood(gate.url)}`,
    `    curl -H 'Authorization: Bearer ${gate.adminToken}' ${gate.url}/_tidegate/api/routes`,
    '',
    '  Ctrl-C ends it.',
    '',
  )
  return lines.join('\n')
}

/** The flood looks for the gate at its default port, unless it is told. */
function comparison(url: string): string {
  const target = new URL(url).port === String(DEFAULT_PORT) ? '' : ` --target ${url}`
  return `npm run flood -- --compare${target}        a flash crowd, first without the gate, then with it`
}

function flood(url: string): string {
  return `npm run flood -- --target ${url} --rate 100    a flash crowd of ten times 100 requests/s`
}
