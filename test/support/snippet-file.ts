import type { Snippet } from './configuration-page.ts'

/** A snippet of a configuration as a whole file. To a route, or keys of a route, it adds the rest. */
export function configFileOf({ kind, text }: Snippet): string {
  if (kind === 'json' || text.includes('export default')) return text
  return `import { defineConfig } from 'tidegate'
export default defineConfig({ ${routesOf(text)} })`
}

function routesOf(text: string): string {
  if (text.startsWith('routes:')) return text
  if (text.startsWith('{')) return `routes: [${text}]`
  const needed = ["match: '/*'", "origin: 'https://origin.example.com'"]
  const rest = needed.filter((key) => !text.startsWith(key.split("'")[0]!))
  return `routes: [{ ${[...rest, ''].join(', ')}\n${text} }]`
}

/** Is it a configuration, or a part of one? Everything else is code that uses the package. */
export const isConfig = ({ text }: Snippet): boolean =>
  /^(?:\{|\w+: )/.test(text) || text.includes('defineConfig(')

const VALUES = ['tidegate', 'InProcessCoordinator', 'httpCoordinator', 'mintPass']

/** What the pages take as known. */
const KNOWN = `import type { MiddlewareOptions, TidegateConfig } from 'tidegate'
declare const config: TidegateConfig
declare const clientIp: NonNullable<MiddlewareOptions['clientIp']>
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }
declare const env: { readonly TIDEGATE_SECRET: string }
declare const user: { readonly id: string }
declare const headers: Headers
`

/** A snippet of code as a whole file, with what it uses and does not import. */
export function codeFileOf({ text }: Snippet): string {
  if (text.includes('export default')) return text
  const imported = [...text.matchAll(/^import \{(.*)\}/gm)].map(([, names]) => names).join()
  const missing = VALUES.filter((name) => !new RegExp(`\\b${name}\\b`).test(imported))
  return `import { ${missing.join(', ')} } from 'tidegate'\n${KNOWN}${text}`
}
