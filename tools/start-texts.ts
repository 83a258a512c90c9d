import type { DemoOrigin } from './demo-origin.ts'
import type { LocalGate } from './local-gate.ts'

/** Texts of `npm start`. */

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

export function greeting(
  gate: Pick<LocalGate, 'url' | 'adminToken'>,
  demo: Pick<DemoOrigin, 'url' | 'capacityPerSecond'> | null,
  routes: number,
): string {
  const lines = [
    '',
    `  Tidegate runs at ${gate.url}   (${routes} route${routes === 1 ? '' : 's'}, in workerd)`,
  ]
  if (demo)
    lines.push(
      `  Demo origin at   ${demo.url}   (collapses above about ${Math.round(demo.capacityPerSecond)} pages/s)`,
    )
  lines.push(
    '',
    '  Try next, in another terminal:',
    `    ${demo ? comparison(gate.url) : flood(gate.url)}`,
    `    curl -H 'Authorization: Bearer ${gate.adminToken}' ${gate.url}/_tidegate/api/routes`,
    '',
    '  Press Ctrl-C to stop.',
    '',
  )
  return lines.join('\n')
}

/** The flood expects the gate at its default port, so other ports need --target. */
function comparison(url: string): string {
  const target = new URL(url).port === String(DEFAULT_PORT) ? '' : ` --target ${url}`
  return `npm run flood -- --compare${target}        a flash crowd, first without the gate, then with it`
}

function flood(url: string): string {
  return `npm run flood -- --target ${url} --rate 100    a flash crowd of ten times 100 requests/s`
}
