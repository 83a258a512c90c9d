import { parseRange } from '../../lib/ip-range.ts'
import { APP_ORIGIN } from '../defaults.ts'
import { quote } from '../errors/wording.ts'
import { isLocalHost } from '../local-address.ts'
import type { Complaint } from './explain.ts'
import { foreignValueComplaint } from './foreign-patterns.ts'

/** The formats of single texts: names, addresses, patterns of values. null: the text is right. */

export const NAME_FORM = '1 to 64 letters, digits, ".", "_" or "-", the first a letter or digit'

export function nameComplaint(name: string): Complaint | null {
  const reserved = name in {}
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) && !reserved) return null
  const slug = name.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+|-$/g, '')
  const remedy = reserved
    ? 'Write another name: JavaScript reserves this one.'
    : `Write for example ${quote(slug.slice(0, 60) || 'shop')}.`
  return { expected: NAME_FORM, remedy }
}

/** The name of an origin may also be a URL: its default is one. */
export function poolNameComplaint(name: string): Complaint | null {
  if (name === APP_ORIGIN)
    return {
      expected: `another name than ${quote(name)}, which stands for the handlers behind the middleware`,
      remedy: 'Leave it out: the name is then made from the URLs.',
    }
  if (/^[A-Za-z0-9][\w.:/,-]{0,199}$/.test(name) && !(name in {})) return null
  return {
    expected:
      '1 to 200 letters, digits, ".", "_", "-", ":", "/" or ",", the first a letter or digit',
    remedy: 'Leave it out: the name is then made from the URLs.',
  }
}

export const URL_FORM = 'a URL such as "https://origin.example.com", without path and credentials'

export function originComplaint(text: string): Complaint | null {
  const complain = (remedy: string, found?: string): Complaint =>
    found === undefined ? { expected: URL_FORM, remedy } : { expected: URL_FORM, remedy, found }
  if (!/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) {
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)
    const rest = scheme === null ? text : text.slice(scheme[0].length)
    const guess = /^[a-z0-9.[\]:-]+$/i.test(rest) && URL.canParse(`https://${rest}`)
    const origin = guess ? `${likelyScheme(rest)}://${rest}` : 'https://origin.example.com'
    return complain(`Write ${quote(origin)}.`)
  }
  const url = new URL(text)
  // Error texts are logged, so they must not contain a password.
  if (url.username !== '' || url.password !== '')
    return complain(
      `Write ${quote(url.origin)}.`,
      `a URL with credentials for ${quote(url.origin)}`,
    )
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return complain(`Write ${quote(url.origin)}: the path comes from the request.`)
  return null
}

/** A server on this machine or network, or at a port of its own, usually has no certificate. */
function likelyScheme(rest: string): 'http' | 'https' {
  const { hostname, port } = new URL(`https://${rest}`)
  const isSecurePort = port === '' || port.endsWith('443')
  return isSecurePort && !isLocalHost(hostname) ? 'https' : 'http'
}

/** Names of headers and cookies (RFC 9110, §5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

export function tokenComplaint(what: string, example: string): (name: string) => Complaint | null {
  return (name) => {
    if (TOKEN.test(name)) return null
    return { expected: what, remedy: `Write for example ${quote(example)}.`, found: quote(name) }
  }
}

export function queryNameComplaint(name: string): Complaint | null {
  if (name !== '') return null
  return { expected: 'the name of a query parameter', remedy: 'Write its name.', found: '""' }
}

export const VALUE_FORM = 'true, a text or a list of texts'

export function valueComplaint(value: string): Complaint | null {
  const foreign = foreignValueComplaint(value)
  if (foreign !== null) return foreign
  if (!value.slice(1, -1).includes('*') && value !== '**') return null
  return {
    expected: 'a text with "*" at its start or end only',
    remedy: 'Write for example "gold*", or true if any value will do.',
  }
}

export function countryComplaint(code: string): Complaint | null {
  if (/^([a-z]{2}|t1)$/i.test(code)) return null
  return {
    expected: 'the two letters of a country (ISO 3166), or "T1" for Tor',
    remedy: 'Write for example "DE".',
  }
}

export const IP_FORM =
  'an address or a CIDR range such as "203.0.113.7", "10.0.0.0/8" or "2001:db8::/32"'

export function ipComplaint(text: string): Complaint | null {
  const range = parseRange(text)
  if (range === null) return { expected: IP_FORM, remedy: 'Write for example "10.0.0.0/8".' }
  if ((range.address >> range.shift) << range.shift === range.address) return null
  return {
    expected: 'a CIDR range that starts at its first address',
    remedy: `Write ${quote(text.replace(/\/\d+$/, ''))} for the one address, or the first address of the range.`,
  }
}

export function pageComplaint(page: string): Complaint | null {
  if (/<[a-z!]/i.test(page)) return null
  return {
    expected: 'the HTML of a page',
    remedy: 'Write the HTML itself, not a file name; leave it out for the built-in page.',
  }
}
