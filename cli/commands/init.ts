import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { packageVersion } from '../../tools/package-root.ts'
import { command, type Outcome } from '../command.ts'
import { askAll } from '../init/ask.ts'
import { DEPENDENCIES, filesFor, IGNORED, NAMES, type NewFile } from '../init/files.ts'

const WRANGLER_FILES = ['wrangler.toml', 'wrangler.json', 'wrangler.jsonc']

export default command({
  description: 'Write a gate: configuration, wrangler.toml, entry and secrets for this machine',
  examples: [
    { line: 'init', text: 'asks five questions, in an empty folder or beside a Worker' },
    { line: 'init gate --origin https://origin.example.com', text: 'in a new folder' },
    {
      line: 'init --yes --origin http://127.0.0.1:3000 --mode enforce',
      text: 'asks nothing',
    },
  ],
  args: {
    dir: { type: 'positional', description: 'Folder', valueHint: 'DIR', default: '.' },
    origin: { type: 'string', description: 'The server to protect', valueHint: 'URL' },
    match: {
      type: 'string',
      description: 'Which requests, as host and path',
      valueHint: 'PATTERN',
    },
    'target-ms': { type: 'string', description: 'Response time to hold', valueHint: 'N' },
    mode: { type: 'string', description: 'observe or enforce', valueHint: 'MODE' },
    name: { type: 'string', description: 'Name of the Worker', valueHint: 'NAME' },
    yes: { type: 'boolean', description: 'Ask nothing: take the defaults', default: false },
    force: { type: 'boolean', description: 'Overwrite files that are there', default: false },
  },
  async run(args) {
    const { origin, match, mode, name } = args
    const given = { origin, match, mode, name, targetMs: args['target-ms'] }
    const folder = resolve(args.dir)
    const answers = await askAll({
      given: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      folderName: basename(folder),
      takesDefaults: args.yes,
    })
    const has = (file: string): boolean => existsSync(join(folder, file))
    const ownWrangler = NAMES.wrangler(false)
    const isOurs =
      has(ownWrangler) &&
      readFileSync(join(folder, ownWrangler), 'utf8').includes('TIDEGATE_COORDINATOR')
    const hasWorker = WRANGLER_FILES.some(has) && !isOurs
    const hasPackageJson = has('package.json')
    const version = packageVersion()
    const secret = () => randomBytes(32).toString('hex')
    const files = filesFor(answers, { hasWorker, hasPackageJson, version, secret })
    const written = files.map((file) => ({
      path: file.path,
      action: write(folder, file, args.force),
    }))
    return outcomeOf(written, { folder, hasWorker, hasPackageJson, version })
  },
})

type Action = 'written' | 'kept' | 'extended'

function write(folder: string, { path, text, isPrivate }: NewFile, isForced: boolean): Action {
  const file = join(folder, path)
  if (path === '.gitignore' && existsSync(file)) return extendIgnored(file)
  if (existsSync(file) && !isForced) return 'kept'
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, isPrivate ? { mode: 0o600 } : {})
  return 'written'
}

function extendIgnored(file: string): Action {
  const lines = readFileSync(file, 'utf8').split('\n')
  const isListed = (name: string) =>
    lines.some((line) => line.trim().replaceAll(/^\/|\/$/g, '') === name.replace(/\/$/, ''))
  const missing = IGNORED.filter((name) => !isListed(name))
  if (missing.length === 0) return 'kept'
  appendFileSync(file, `${lines.at(-1) === '' ? '' : '\n'}${missing.join('\n')}\n`)
  return 'extended'
}

interface Written {
  readonly path: string
  readonly action: Action
}

interface Place {
  readonly folder: string
  readonly hasWorker: boolean
  readonly hasPackageJson: boolean
  readonly version: string
}

function outcomeOf(
  files: readonly Written[],
  { folder, hasWorker, hasPackageJson, version }: Place,
): Outcome {
  const into = relative('', folder)
  const next = [
    ...(into === '' ? [] : [`cd ${into}`]),
    hasPackageJson ? installLine(folder, version) : 'npm install',
    'npx tidegate check',
    'npx tidegate dev',
    'npx tidegate deploy --dry-run',
  ]
  const remarks = hasWorker
    ? 'There is a Worker in this folder already. The gate becomes a second one beside it, and nothing of yours is changed.\nIf your Worker is a Hono app, the middleware may fit better: docs/middleware.md.'
    : ''
  return {
    text: [
      ...files.map(({ path, action }) => `  ${action.padEnd(8)}  ${path}`),
      '',
      'Next:',
      ...next.map((line) => `  ${line}`),
    ].join('\n'),
    remarks,
    json: { folder, files, next },
  }
}

/** What the packages of an existing project lack. */
function installLine(folder: string, version: string): string {
  const { dependencies, devDependencies } = packagesOf(join(folder, 'package.json'))
  const isThere = (name: string): boolean =>
    dependencies?.[name] !== undefined || devDependencies?.[name] !== undefined
  const missing = Object.keys(DEPENDENCIES(version)).filter((name) => !isThere(name))
  const lines = [
    ...(missing.length > 0 ? [`npm install ${missing.join(' ')}`] : []),
    ...(isThere('wrangler') ? [] : ['npm install --save-dev wrangler']),
  ]
  return lines.join(' && ') || 'npm install'
}

interface Packages {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A file that cannot be read has no packages: npm will say what is wrong with it. */
function packagesOf(file: string): Packages {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Packages | null) ?? {}
  } catch {
    return {}
  }
}
