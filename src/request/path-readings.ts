/**
 * The paths that an origin may make of one spelling. Servers differ: some take `%2F`, `%5C` and `\` for a slash, some
 * cut matrix parameters (`;x=1`) off each segment, and both may lay bare a dot segment. All of them decode letters and
 * resolve empty and dot segments. The first reading takes only `/` for a slash and keeps parameters.
 */
export function pathReadings(path: string): readonly string[] {
  const readings: string[] = []
  for (const hasOtherSlashes of [false, true])
    for (const hasParameters of [true, false]) {
      const reading = readPath(path, hasOtherSlashes, hasParameters)
      if (!readings.includes(reading)) readings.push(reading)
    }
  return readings
}

const OTHER_SLASHES = /%2f|%5c|\\/gi

function readPath(path: string, hasOtherSlashes: boolean, hasParameters: boolean): string {
  const kept: string[] = []
  for (const raw of (hasOtherSlashes ? path.replace(OTHER_SLASHES, '/') : path).split('/')) {
    const segment = decodeSegment(hasParameters ? raw : withoutParameters(raw))
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}${kept.length > 0 && path.endsWith('/') ? '/' : ''}`
}

function withoutParameters(segment: string): string {
  const semicolon = segment.search(/;|%3b/i)
  return semicolon < 0 ? segment : segment.substring(0, semicolon)
}

/** An encoded slash or backslash stays encoded: it is part of a name. */
function decodeSegment(segment: string): string {
  return segment
    .split(/(%2f|%5c)/i)
    .map((part, i) => (i % 2 === 1 ? part.toUpperCase() : part.replace(ENCODED, decodeRun)))
    .join('')
}

const ENCODED = /(?:%[0-9a-f]{2})+/gi

/** Invalid UTF-8 becomes U+FFFD. */
function decodeRun(run: string): string {
  const codes = run.substring(1).split('%')
  return UTF8.decode(Uint8Array.from(codes, (code) => Number.parseInt(code, 16)))
}

/** A byte order mark is part of a name: without it the name would be another one, or a dot segment. */
const UTF8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
