import type { RouteMatch } from '../config.ts'
import { quote } from '../errors/wording.ts'
import type { Complaint } from './explain.ts'
import { foreignPathComplaint } from './foreign-patterns.ts'

/**
 * Host and path patterns: their format, and which of two patterns covers the other. Paths of requests are
 * compared decoded, without empty or dot segments and without a slash at the end.
 */

const PATH_FORM = 'a path pattern: "/", "/cart", "/shop/*" or "/items/*/buy"'
const HOST_FORM = 'a host name: "shop.example.com", "*.example.com" or "*"'
export const MATCH_FORM = 'a pattern such as "/shop/*" or "shop.example.com/*", or { host, path }'

export function pathComplaint(path: string): Complaint | null {
  const foreign = foreignPathComplaint(path)
  if (foreign !== null) return foreign
  const complain = (remedy: string) => ({ expected: PATH_FORM, remedy })
  if (!path.startsWith('/')) return complain(`Write ${quote(`/${path}`)}: a path starts with "/".`)
  if (/[?#]/.test(path))
    return complain('Leave out what follows the path; for the query use "query".')
  if (path.includes('\\')) return complain('Write "/" between segments.')
  if (path === '/') return null
  const segments = path.slice(1).split('/')
  if (segments.at(-1) === '')
    return complain(
      `Write ${quote(path.replace(/\/+$/, '') || '/')}: it also matches with a slash at the end.`,
    )
  if (segments.some((segment) => ['', '.', '..'].includes(segment)))
    return complain('Leave out empty segments, "." and "..": requests are compared without them.')
  if (segments.some((segment) => segment !== '*' && segment.includes('*')))
    return complain('Write "*" for one whole segment, or "/*" at the end for everything below.')
  const decoded = decode(path)
  if (decoded !== path) return complain(`Write ${quote(decoded)}: paths are compared decoded.`)
  return null
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const HOST =
  /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$|^\[[0-9a-f:.]+\]$/

export function hostComplaint(host: string): Complaint | null {
  if (host === '*' || (HOST.test(host.toLowerCase()) && host.length <= 253)) return null
  return { expected: HOST_FORM, remedy: hostRemedy(host) }
}

function hostRemedy(host: string): string {
  if (/^[a-z]+:\/\//i.test(host)) return 'Leave out the scheme: it is not compared.'
  if (/^[^:[]+:\d+$/.test(host))
    return `Write ${quote(host.replace(/:\d+$/, ''))}: the port is not compared.`
  const ascii = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
  if (ascii.startsWith('xn--') || ascii.includes('.xn--')) return `Write ${quote(ascii)}.`
  return 'Leave it out for "*", any host.'
}

/** A route's `match` in one string. */
export function matchComplaint(match: string): Complaint | null {
  const complain = (remedy: string) => ({ expected: MATCH_FORM, remedy })
  if (match === '' || match === '*') return complain('Write "/*" for everything.')
  if (/^[a-z]+:\/\//i.test(match))
    return complain(
      `Write ${quote(match.replace(/^[a-z]+:\/\//i, ''))}: the scheme is not compared.`,
    )
  if (match.startsWith('/') || match.startsWith('^')) return pathComplaint(match)
  if (!match.includes('/'))
    return complain(`Write ${quote(`${match}/*`)} for a host, or ${quote(`/${match}`)} for a path.`)
  const { host, path } = splitMatch(match)
  return hostComplaint(host) ?? pathComplaint(path)
}

/** Splits `shop.example.com/a/*` into host and path. A text that starts with a slash is for any host. */
export function splitMatch(match: string): RouteMatch {
  const slash = match.indexOf('/')
  const host = match.slice(0, slash).toLowerCase()
  return { host: host || '*', path: match.slice(slash) }
}

/** The name of a route without one: `/shop/*` is `shop`, `/*` is `site`. A host comes first. */
export function slugOf({ host, path }: RouteMatch): string {
  const text = `${host} ${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const slug = text.slice(0, 65).replace(/^-|-$/g, '').slice(0, 64)
  if (slug !== '') return slug
  return path === '/' ? 'home' : 'site'
}

interface Segments {
  readonly fixed: readonly string[]
  readonly open: boolean
}

function segmentsOf(path: string): Segments {
  const all = path === '/' ? [] : path.slice(1).split('/')
  const open = all.at(-1) === '*'
  return { fixed: open ? all.slice(0, -1) : all, open }
}

/** Whether `a` takes every path that `b` takes. */
export function pathCovers(a: string, b: string): boolean {
  const [wide, narrow] = [segmentsOf(a), segmentsOf(b)]
  const longEnough = wide.open
    ? narrow.fixed.length >= wide.fixed.length
    : !narrow.open && narrow.fixed.length === wide.fixed.length
  return longEnough && wide.fixed.every((part, i) => part === '*' || part === narrow.fixed[i])
}

/** Whether some path is taken by both. */
export function pathsMeet(a: string, b: string): boolean {
  const [left, right] = [segmentsOf(a), segmentsOf(b)]
  const [short, long] = left.fixed.length <= right.fixed.length ? [left, right] : [right, left]
  if (short.fixed.length < long.fixed.length && !short.open) return false
  return short.fixed.every(
    (part, i) => part === '*' || long.fixed[i] === '*' || part === long.fixed[i],
  )
}

export function hostCovers(a: string, b: string): boolean {
  if (a === '*' || a === b) return true
  return a.startsWith('*.') && b !== '*' && b.replace(/^\*/, '').endsWith(a.slice(1))
}

export function routeCovers(a: RouteMatch, b: RouteMatch): boolean {
  return hostCovers(a.host, b.host) && pathCovers(a.path, b.path)
}
