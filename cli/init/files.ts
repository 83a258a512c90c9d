import { COMPATIBILITY, OBJECTS } from '../../tools/as-deployed.ts'
import type { Answers } from './answers.ts'

/** The files that `tidegate init` writes. */

export interface NewFile {
  readonly path: string
  readonly text: string
  /** For secrets: only the owner may read it. */
  readonly isPrivate?: boolean
}

export interface Surroundings {
  /** The folder has a Worker of its own already: the gate becomes a second one beside it. */
  readonly hasWorker: boolean
  readonly hasPackageJson: boolean
  readonly version: string
  /** A new random text, for a secret. */
  secret(): string
}

export const NAMES = {
  config: 'tidegate.config.ts',
  wrangler: (hasWorker: boolean) => (hasWorker ? 'wrangler.gate.toml' : 'wrangler.toml'),
  entry: (hasWorker: boolean) => (hasWorker ? 'src/gate.ts' : 'src/index.ts'),
}

export function filesFor(answers: Answers, around: Surroundings): readonly NewFile[] {
  const { hasWorker, hasPackageJson, secret } = around
  return [
    ...(hasPackageJson ? [] : [{ path: 'package.json', text: packageJson(answers, around) }]),
    { path: NAMES.config, text: configText(answers) },
    { path: NAMES.wrangler(hasWorker), text: wranglerText(answers, NAMES.entry(hasWorker)) },
    { path: NAMES.entry(hasWorker), text: ENTRY },
    { path: '.dev.vars.example', text: DEV_VARS_EXAMPLE },
    {
      path: '.dev.vars',
      text: `TIDEGATE_SECRET="${secret()}"\nTIDEGATE_ADMIN_TOKEN="${secret()}"\n`,
      isPrivate: true,
    },
    { path: '.gitignore', text: IGNORED.map((name) => `${name}\n`).join('') },
  ]
}

/** An existing .gitignore gets what it lacks: the secrets must not be committed. */
export const IGNORED = ['node_modules/', '.wrangler/', '.tidegate/', '.dev.vars']

function configText({ origin, match, targetMs, mode }: Answers): string {
  const lines = [
    ...(mode === 'observe'
      ? ["// Nothing is refused while the mode is 'observe': see `npx tidegate report`."]
      : []),
    `mode: '${mode}',`,
  ]
  return `import { defineConfig } from 'tidegate'

export default defineConfig({
  routes: [
    {
      match: ${quote(match)},
      origin: ${quote(new URL(origin).origin)},
      sla: { percentile: 95, targetMs: ${Number(targetMs)} },
${lines.map((line) => `      ${line}`).join('\n')}
    },
  ],
})
`
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`

const ENTRY = `import { env } from 'cloudflare:workers'
import { worker } from 'tidegate'
import config from '../${NAMES.config}'

export { ${Object.values(OBJECTS).join(', ')} } from 'tidegate/durable-objects'

export default worker(config, env)
`

function wranglerText({ name }: Answers, entry: string): string {
  const { compatibilityDate, compatibilityFlags } = COMPATIBILITY
  const bindings = Object.entries(OBJECTS).map(
    ([binding, className]) =>
      `[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"\n`,
  )
  return `name = "${name}"
main = "${entry}"
compatibility_date = "${compatibilityDate}"
compatibility_flags = ${JSON.stringify(compatibilityFlags)}
minify = true

# Which requests reach the gate. Without a route it has an address at workers.dev.
# routes = [{ pattern = "shop.example.com/*", zone_name = "example.com" }]

${bindings.join('\n')}
[[migrations]]
tag = "v1"
new_sqlite_classes = ${JSON.stringify(Object.values(OBJECTS))}
`
}

const DEV_VARS_EXAMPLE = `# Copy this file to .dev.vars, which git ignores, and set your own values: openssl rand -hex 32
TIDEGATE_SECRET=""
TIDEGATE_ADMIN_TOKEN=""
`

function packageJson({ name }: Answers, { version }: Surroundings): string {
  const content = {
    name,
    private: true,
    type: 'module',
    scripts: { check: 'tidegate check', dev: 'tidegate dev', deploy: 'tidegate deploy' },
    dependencies: DEPENDENCIES(version),
    devDependencies: { wrangler: '^4.135.0' },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

export const DEPENDENCIES = (version: string) => ({ hono: '^4.4.0', tidegate: `^${version}` })
