/** The parts of a request's URL, cut out of the string: `new URL()` costs ten times as much. */
export interface UrlParts {
  readonly isSecure: boolean
  /** Host and port as the client sent them. */
  readonly authority: string
  /** Lower case, without port. */
  readonly host: string
  /** As rules see it: percent-encoding, empty and dot segments undone, so that no spelling slips past a rule. */
  readonly path: string
  /** Path and query as the client sent them. */
  readonly target: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
}

export function splitUrl(url: string): UrlParts {
  const hostFrom = url.indexOf('://') + 3
  // A fragment is not for servers to see; one that is sent all the same belongs to no path.
  const hash = url.indexOf('#', hostFrom)
  const end = hash < 0 ? url.length : hash
  const question = url.indexOf('?', hostFrom)
  const pathEnd = question < 0 || question > end ? end : question
  const slash = url.indexOf('/', hostFrom)
  const hostEnd = slash < 0 || slash > pathEnd ? pathEnd : slash
  const path = url.substring(hostEnd, pathEnd) || '/'
  const authority = url.substring(hostFrom, hostEnd)
  return {
    isSecure: url.startsWith('https:'),
    authority,
    host: hostOf(authority),
    path: isPlain(path) ? path : normalisePath(path),
    target: pathEnd === end ? path : url.substring(hostEnd, end),
    query: pathEnd < end ? url.substring(pathEnd + 1, end) : '',
  }
}

const SLASH = 47
const DOT = 46

/** Most requests of an isolate are for the same host. */
let lastAuthority = ''
let lastHost = ''

function hostOf(authority: string): string {
  if (authority !== lastAuthority) {
    lastHost = hostname(authority)
    lastAuthority = authority
  }
  return lastHost
}

function hostname(authority: string): string {
  const port = authority.lastIndexOf(':')
  let end = port > authority.lastIndexOf(']') ? port : authority.length
  // `shop.example.com.` is the same host: the dot is the root of all names.
  if (authority.charCodeAt(end - 1) === DOT) end--
  return authority.substring(0, end).toLowerCase()
}

/** No encoding, no empty segment, no segment that starts with a dot, no backslash: nothing to undo. */
function isPlain(path: string): boolean {
  let previous = 0
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code === 37 || code === 92) return false // % \
    if (previous === SLASH && (code === SLASH || code === DOT)) return false // // /.
    previous = code
  }
  return true
}

function normalisePath(path: string): string {
  const kept: string[] = []
  for (const segment of decode(path).replaceAll('\\', '/').split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}${kept.length > 0 && path.endsWith('/') ? '/' : ''}`
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // One encoding that is none must not hide the others: each run of them is decoded for itself.
    return path.replace(/(?:%[0-9a-f]{2})+/gi, decodeRun)
  }
}

/** What is no UTF-8 becomes U+FFFD. */
function decodeRun(run: string): string {
  const codes = run.substring(1).split('%')
  return UTF8.decode(Uint8Array.from(codes, (code) => Number.parseInt(code, 16)))
}

const UTF8 = new TextDecoder()
