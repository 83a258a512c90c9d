import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  /** What it imports or re-exports, types included: a path from the root, or the name of a package. */
  readonly imports: readonly string[]
  /** The classes, interfaces and types that it declares and exports. */
  readonly exportedTypes: readonly string[]
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TYPES = ['ClassDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration']

/** Every TypeScript file below these folders of the repository. */
export function readSourceFiles(folders: readonly string[]): readonly SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    )
    .toSorted()
    .map((path) => parseSourceFile(path, readFileSync(join(ROOT, path), 'utf8')))
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const lang = path.endsWith('.d.ts') ? 'dts' : 'ts'
  const { body } = parseAst(text, { lang }, path)
  const imports = [...importsIn(body)].map((name) => resolve(path, name))
  return { path, imports: [...new Set(imports)], exportedTypes: [...exportedTypesIn(body)] }
}

const resolve = (from: string, name: string): string =>
  name.startsWith('.') ? join(dirname(from), name).replaceAll('\\', '/') : name

/** Every node that names another module does so in `source`: import, export from, import(), import type. */
function* importsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if ('source' in node && isText(node.source)) yield node.source.value
  for (const part of Object.values(node)) yield* importsIn(part)
}

const isText = (node: unknown): node is { readonly value: string } =>
  typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string'

type Statements = ReturnType<typeof parseAst>['body']

/** `export interface A`, and `interface A` with `export { A }` or `export default A` elsewhere in the file. */
function* exportedTypesIn(body: Statements): Generator<string> {
  const local = new Set<string>()
  for (const statement of body) {
    const name = declaredType(statement)
    if (name !== null) local.add(name)
  }
  for (const statement of body) {
    if (statement.type === 'ExportNamedDeclaration' && statement.source === null) {
      const name = statement.declaration && declaredType(statement.declaration)
      if (name) yield name
      for (const { local: own } of statement.specifiers)
        if (own.type === 'Identifier' && local.has(own.name)) yield own.name
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const name = declaredType(statement.declaration)
      if (name !== null) yield name
    }
  }
}

function declaredType(node: { readonly type: string }): string | null {
  if (!TYPES.includes(node.type)) return null
  const { id } = node as { readonly id?: { readonly name: string } | null }
  return id?.name ?? null
}
