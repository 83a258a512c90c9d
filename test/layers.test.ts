import { describe, it } from 'vitest'
import { readSourceFiles } from './support/source-files.ts'

interface Layer {
  /** The layers that it may import. Each of them stands above it in the table. */
  readonly imports: readonly string[]
  readonly packages?: readonly string[]
}

const PURE = ['lib', 'config', 'protocol', 'measure']
const COORDINATION = ['lib', 'learners', 'config', 'protocol', 'coordinator']
const ISOLATE = ['request', 'measure', 'admission', 'origin']

/** The layers in their order, and what each may use. Change this table together with docs/architecture.md. */
const LAYERS: Readonly<Record<string, Layer>> = {
  lib: { imports: [], packages: ['@noble/hashes'] },
  learners: { imports: ['lib'] },
  config: { imports: ['lib', 'learners'], packages: ['valibot'] },
  protocol: { imports: ['lib', 'learners', 'config'] },
  request: { imports: ['lib', 'config'] },
  measure: { imports: ['lib', 'config', 'protocol'] },
  admission: { imports: PURE },
  origin: { imports: [...PURE, 'request'] },
  // `admission` for the test of a batch alone, which sets the delays of the classes, too.
  coordinator: {
    imports: ['lib', 'learners', 'config', 'protocol', 'admission'],
    packages: ['@noble/hashes'],
  },
  'durable-objects': { imports: COORDINATION, packages: ['cloudflare:workers'] },
  gate: { imports: [...COORDINATION, ...ISOLATE] },
  transport: { imports: [...COORDINATION, 'durable-objects'] },
  admin: {
    imports: [...COORDINATION, 'request', 'durable-objects', 'gate', 'transport'],
    packages: ['hono', 'valibot'],
  },
  entry: {
    imports: [...COORDINATION, ...ISOLATE, 'durable-objects', 'gate', 'transport', 'admin'],
    packages: ['hono', 'cloudflare:workers'],
  },
  // Runs in pages and programs of users, so it imports nothing.
  client: { imports: [] },
  'src/index.ts': { imports: ['config', 'protocol', 'transport', 'entry'] },
}

/** A build replaces the module that imports this file with the configuration of the user. */
const USER_CONFIG = { from: 'src/entry/deployed-config.ts', to: 'tidegate.config.ts' }

const files = readSourceFiles(['src', 'durable-objects'])
const paths = new Set(files.map(({ path }) => path))
const isPath = (name: string): boolean => name.includes('/') && name.endsWith('.ts')

/** A file of data beside the module that imports it, such as the API document. */
const isAsset = (path: string, name: string): boolean =>
  name.startsWith(path.slice(0, path.lastIndexOf('/') + 1)) && /\.(json|html|txt)$/.test(name)

function layerOf(path: string): string {
  const [top, folder, ...rest] = path.split('/')
  if (top !== 'src') return top!
  return rest.length > 0 ? folder! : path
}

/** `hono/tiny` is of the package `hono`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

const imports = files.flatMap(({ path, imports }) => imports.map((name) => ({ path, name })))
const inside = imports.filter(({ name }) => paths.has(name))

describe('the layers', () => {
  it('are all in the table, and import only layers above', ({ expect }) => {
    const order = Object.keys(LAYERS)
    // Declarations for imported texts belong to no layer.
    const layers = new Set(files.map(({ path }) => layerOf(path)))
    expect([...layers].filter((layer) => layer !== 'src/text-files.d.ts').toSorted()).toEqual(
      order.toSorted(),
    )
    for (const [layer, { imports }] of Object.entries(LAYERS))
      for (const other of imports)
        expect(order.indexOf(other), `${layer} imports ${other}`).toBeLessThan(order.indexOf(layer))
  })

  it('import what the table allows', ({ expect }) => {
    expect(inside.length).toBeGreaterThan(200)
    const forbidden = inside.filter(({ path, name }) => {
      const [from, to] = [layerOf(path), layerOf(name)]
      return from !== to && !LAYERS[from]?.imports.includes(to)
    })
    expect(forbidden.map(({ path, name }) => `${path} imports ${name}`)).toEqual([])
  })

  it('import the packages that the table allows', ({ expect }) => {
    const forbidden = imports.filter(({ path, name }) => {
      if (isPath(name) || isAsset(path, name) || name === USER_CONFIG.to) return false
      return !LAYERS[layerOf(path)]?.packages?.includes(packageOf(name))
    })
    expect(forbidden.map(({ path, name }) => `${path} imports ${name}`)).toEqual([])
  })

  it('import nothing from lab, bench, tools, test or elsewhere', ({ expect }) => {
    const outside = imports.filter(({ path, name }) => {
      if (path === USER_CONFIG.from && name === USER_CONFIG.to) return false
      return (isPath(name) || name === USER_CONFIG.to) && !paths.has(name)
    })
    expect(outside.map(({ path, name }) => `${path} imports ${name}`)).toEqual([])
  })

  it('have no cycle between files', ({ expect }) => {
    expect(cycles()).toEqual([])
  })
})

/** Each cycle once, as the chain of files that leads back to its first. */
function cycles(): readonly string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const chain: string[] = []
  const found: string[] = []
  function visit(path: string): void {
    const from = chain.indexOf(path)
    if (from >= 0) found.push([...chain.slice(from), path].join(' > '))
    if (from >= 0 || done.has(path)) return
    chain.push(path)
    for (const name of importsOf.get(path) ?? []) visit(name)
    chain.pop()
    done.add(path)
  }
  for (const { path } of files) visit(path)
  return found
}
