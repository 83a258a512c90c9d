import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Workers Cache (`cache.enabled`) answers before the Worker runs. Before a gate that is a fault: neither the host nor a
 * cookie is part of its key, so one visitor would get the page of another, and nobody would be counted.
 */

/** `init` writes the first one beside a Worker that is there, whose own file may well turn the cache on. */
const FILES = ['wrangler.gate.toml', 'wrangler.toml', 'wrangler.json', 'wrangler.jsonc'] as const

export interface CacheFault {
  readonly file: string
  /** The key that turns the cache on, such as `env.production.cache.enabled`. */
  readonly key: string
}

/** Looks at wrangler's file in this folder. null: there is none, or it leaves the cache off. */
export function cacheBeforeGate(folder: string): CacheFault | null {
  const file = FILES.find((name) => existsSync(join(folder, name)))
  if (file === undefined) return null
  const text = readFileSync(join(folder, file), 'utf8')
  const key = cacheKeyIn(file.endsWith('.toml') ? tomlFlags(text) : flagsOrNone(text))
  return key === null ? null : { file, key }
}

/** wrangler says what is wrong with a file that is no JSON, and deploys nothing. */
function flagsOrNone(text: string): Flags {
  try {
    return jsonFlags(text)
  } catch {
    return new Map()
  }
}

/** Keys with dots between their parts, and `true` or `false`. */
type Flags = ReadonlyMap<string, boolean>

const CACHE_KEY = /^(?<environment>env\.[^.]+\.)?(?<own>exports\.default\.)?cache\.enabled$/

/** The gate is the default entrypoint. Its own setting counts more than that of the whole Worker. */
export function cacheKeyIn(flags: Flags): string | null {
  for (const [key, isOn] of flags) {
    const found = CACHE_KEY.exec(key)
    if (found === null || !isOn) continue
    const { environment = '', own } = found.groups!
    const isOff = flags.get(`${environment}exports.default.cache.enabled`) === false
    if (own !== undefined || !isOff) return key
  }
  return null
}

export function jsonFlags(text: string): Flags {
  const plain = text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')
  const flags = new Map<string, boolean>()
  const add = (value: unknown, path: string): void => {
    if (typeof value === 'boolean') flags.set(path, value)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value))
        add(inner, path === '' ? key : `${path}.${key}`)
  }
  add(JSON.parse(plain), '')
  return flags
}

const TOKEN = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\w-]+|\S|\n/g

/** Reads tables, dotted keys and inline tables. Values that are not true or false are skipped. */
export function tomlFlags(text: string): Flags {
  const flags = new Map<string, boolean>()
  let table: readonly string[] = []
  /** The inline tables and lists that are open inside a value. */
  const open: { readonly path: readonly string[]; readonly isList: boolean }[] = []
  let key: string[] = []
  let isValue = false
  for (const [token] of text.matchAll(TOKEN)) {
    const path = [...(open.at(-1)?.path ?? table), ...key]
    const isTop = open.length === 0
    if (token.startsWith('#') || (token === '\n' && !isTop)) continue
    if (token === '=') isValue = true
    else if (isValue && (token === '{' || token === '[')) {
      open.push({ path, isList: token === '[' })
      isValue = token === '['
      key = []
    } else if (token === ']' && isTop) {
      // The end of `[table]`, or the second bracket of `[[table]]`.
      if (key.length > 0) table = key
      key = []
    } else if (token === '}' || token === ']' || token === ',' || token === '\n') {
      if (token === '}' || token === ']') open.pop()
      isValue = open.at(-1)?.isList ?? false
      key = []
    } else if (isValue) {
      if (token === 'true' || token === 'false') flags.set(path.join('.'), token === 'true')
    } else if (token !== '.' && token !== '[') key.push(token.replace(/^["']|["']$/g, ''))
  }
  return flags
}
