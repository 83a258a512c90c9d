import { pathReadings } from './path-readings.ts'

/** The parts of a request's URL, taken from the string because `new URL()` costs ten times as much. */
export interface UrlParts {
  readonly isSecure: boolean
  /** Host and port, in lower case, without the final dot of the host. */
  readonly authority: string
  /** Lower case, without port. */
  readonly host: string
  /** Normalised, so that no spelling avoids a rule. The first reading, if there are several. */
  readonly path: string
  /** What origins may make of the path: more than one where servers differ, see path-readings.ts. */
  readonly readings: readonly string[]
  /** Path and query as the client sent them. */
  readonly target: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
}

export function splitUrl(url: string): UrlParts {
  const from = url.indexOf('://') + 3
  const pathFrom = endOfAuthority(url, from)
  const authority = plainAuthority(url.substring(from, pathFrom))
  let pathEnd = pathFrom
  let hasOneReading = true
  for (let previous = 0; pathEnd < url.length; pathEnd++) {
    const code = url.charCodeAt(pathEnd)
    if (code === QUESTION || code === HASH) break
    // Percent-encoding, a backslash, a parameter, an empty segment, or one that starts with a dot must be normalised.
    if (code === PERCENT || code === BACKSLASH || code === SEMICOLON) hasOneReading = false
    if (previous === SLASH && (code === SLASH || code === DOT)) hasOneReading = false
    previous = code
  }
  const path = pathEnd === pathFrom ? '/' : url.substring(pathFrom, pathEnd)
  const readings = hasOneReading ? [path] : pathReadings(path)
  const hasQuery = url.charCodeAt(pathEnd) === QUESTION
  const end = hasQuery ? startOfFragment(url, pathEnd) : pathEnd
  return {
    isSecure: url.startsWith('https:'),
    authority,
    host: authority.substring(0, endOfHost(authority)),
    path: readings[0]!,
    readings,
    target: hasQuery ? url.substring(pathFrom, end) : path,
    query: hasQuery ? url.substring(pathEnd + 1, end) : '',
  }
}

const SLASH = 47
const DOT = 46
const QUESTION = 63
const HASH = 35
const PERCENT = 37
const BACKSLASH = 92
const SEMICOLON = 59

function endOfAuthority(url: string, from: number): number {
  for (let end = from; end < url.length; end++) {
    const code = url.charCodeAt(end)
    if (code === SLASH || code === QUESTION || code === HASH) return end
  }
  return url.length
}

/** A fragment is not part of the query. Clients do not send it, but a URL may have one. */
function startOfFragment(url: string, from: number): number {
  const hash = url.indexOf('#', from)
  return hash < 0 ? url.length : hash
}

/** `shop.example.com.` is the same host: the last dot stands for the DNS root. */
function plainAuthority(given: string): string {
  const end = endOfHost(given)
  const host = given.charCodeAt(end - 1) === DOT ? given.substring(0, end - 1) : given
  return (host === given ? given : host + given.substring(end)).toLowerCase()
}

function endOfHost(authority: string): number {
  const port = authority.lastIndexOf(':')
  return port > authority.lastIndexOf(']') ? port : authority.length
}
