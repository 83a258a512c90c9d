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
  // In a rush most ask for the same page.
  if (url !== lastUrl) {
    lastParts = split(url)
    lastUrl = url
  }
  return lastParts
}

function split(url: string): UrlParts {
  // Most requests of an isolate are for the same host.
  if (!belongsTo(base, url)) base = baseOf(url)
  const { isSecure, authority, host } = base
  const from = base.text.length
  let pathEnd = from
  let isPlain = true
  for (let previous = 0; pathEnd < url.length; pathEnd++) {
    const code = url.charCodeAt(pathEnd)
    if (code === QUESTION || code === HASH) break
    // An encoding, a backslash, an empty segment, or one that starts with a dot: something to undo.
    if (code === PERCENT || code === BACKSLASH) isPlain = false
    if (previous === SLASH && (code === SLASH || code === DOT)) isPlain = false
    previous = code
  }
  const path = pathEnd === from ? '/' : url.substring(from, pathEnd)
  const hasQuery = url.charCodeAt(pathEnd) === QUESTION
  const end = hasQuery ? fragmentOf(url, pathEnd) : pathEnd
  return {
    isSecure,
    authority,
    host,
    path: isPlain ? path : normalisePath(path),
    target: hasQuery ? url.substring(from, end) : path,
    query: hasQuery ? url.substring(pathEnd + 1, end) : '',
  }
}

const SLASH = 47
const DOT = 46
const QUESTION = 63
const HASH = 35
const PERCENT = 37
const BACKSLASH = 92

/** What a URL begins with: scheme and authority. */
interface Base extends Pick<UrlParts, 'isSecure' | 'authority' | 'host'> {
  readonly text: string
}

let base = baseOf('http://localhost/')
let lastUrl = 'http://localhost/'
let lastParts = split(lastUrl)

/** `startsWith` is compiled to a loop over letters, and would cost more than all the rest. */
function belongsTo({ text }: Base, url: string): boolean {
  return url.charCodeAt(text.length) === SLASH && url.substring(0, text.length) === text
}

function baseOf(url: string): Base {
  const hostFrom = url.indexOf('://') + 3
  let end = hostFrom
  while (end < url.length && !endsAuthority(url.charCodeAt(end))) end++
  const authority = url.substring(hostFrom, end)
  return {
    text: url.substring(0, end),
    isSecure: url.startsWith('https:'),
    authority,
    host: hostname(authority),
  }
}

function endsAuthority(code: number): boolean {
  return code === SLASH || code === QUESTION || code === HASH
}

/** A fragment is not for servers to see; one that is sent all the same belongs to no query. */
function fragmentOf(url: string, from: number): number {
  const hash = url.indexOf('#', from)
  return hash < 0 ? url.length : hash
}

function hostname(authority: string): string {
  const port = authority.lastIndexOf(':')
  let end = port > authority.lastIndexOf(']') ? port : authority.length
  // `shop.example.com.` is the same host: the dot is the root of all names.
  if (authority.charCodeAt(end - 1) === DOT) end--
  return authority.substring(0, end).toLowerCase()
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
