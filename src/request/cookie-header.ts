/** The value of the first cookie of that name in a `Cookie` header; null: there is none. */
export function readCookie(header: string | null, name: string): string | null {
  const at = findCookie(header, name, 0)
  return at < 0 ? null : cookieValueAt(header!, at + name.length + 1)
}

/**
 * The values that a server may read for the first cookie of that name. With two `Cookie` headers the runtime joins them
 * with a comma, which may also be inside a value.
 */
export function cookieReadings(header: string | null, name: string): readonly string[] {
  if (header === null) return []
  const at = findCookie(header, name, 0)
  const from = at >= 0 ? at : header.includes(',') ? cookieBefore(header, name, header.length) : -1
  if (from < 0) return []
  const value = cookieValueAt(header, from + name.length + 1)
  const comma = value.indexOf(',')
  return comma < 0 ? [value] : [value, value.substring(0, comma)]
}

/** The position of `name=` where it starts a cookie, and is not part of another name or value; -1: not found. */
export function findCookie(header: string | null, name: string, start: number): number {
  if (header === null) return -1
  for (let at = header.indexOf(name, start); at >= 0; at = header.indexOf(name, at + 1)) {
    if (header.charCodeAt(at + name.length) === 61 && startsCookie(header, at)) return at // =
  }
  return -1
}

/**
 * The position of the last `name=` before `end` that starts a cookie; -1: not found. For signed cookies only: it also takes a
 * cookie after a comma. With two `Cookie` headers the runtime joins them with one, but a comma may be inside a value.
 */
export function cookieBefore(header: string, name: string, end: number): number {
  for (let at = end; at > 0; ) {
    at = header.lastIndexOf(name, at - 1)
    if (at < 0) return -1
    if (header.charCodeAt(at + name.length) === 61 && startsCookie(header, at, true)) return at // =
  }
  return -1
}

/** The value of a signed cookie, which has no comma in it. */
export function signedValueAt(header: string, from: number): string {
  const value = cookieValueAt(header, from)
  const comma = value.indexOf(',')
  return comma < 0 ? value : value.substring(0, comma)
}

/** A cookie follows a semicolon and any spaces, or starts the header. A space alone may be inside a value. */
function startsCookie(header: string, at: number, orComma = false): boolean {
  let before = at - 1
  while (before >= 0 && header.charCodeAt(before) === 32) before--
  const code = before < 0 ? 59 : header.charCodeAt(before) // ;
  return code === 59 || (orComma && code === 44) // ,
}

export function cookieValueAt(header: string, from: number): string {
  const semicolon = header.indexOf(';', from)
  const end = semicolon < 0 ? header.length : semicolon
  const value = header.substring(from, end)
  // Values are rarely padded, and this check costs less than `trim`.
  return header.charCodeAt(from) > 32 && header.charCodeAt(end - 1) > 32 ? value : value.trim()
}
