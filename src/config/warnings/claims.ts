import type { RequestMatch, Route } from '../config.ts'
import type { Path } from '../errors/problem.ts'
import { quote } from '../errors/wording.ts'
import { type Doubt, doubt } from './warning.ts'

/**
 * A bypass or a guaranteed rate that a client can claim by itself, because it depends on what any client can send: a
 * user agent, a cookie that is merely there, a parameter. Paths and methods are no claims: they say what is wanted.
 */
export function* claimDoubts({ bypass, classes }: Route): Iterable<Doubt> {
  for (const [i, match] of bypass.entries())
    yield* doubtsOf(match, ['bypass', i], 'and its requests pass without a decision')
  for (const [i, { match, guaranteed }] of classes.entries())
    if (guaranteed > 0)
      yield* doubtsOf(match, ['classes', i, 'match'], 'and is admitted at the guaranteed rate')
}

const REMEDY =
  'Match the addresses (ip), or a header with a secret value of at least 16 characters that only your own edge or program sends.'

function* doubtsOf(match: RequestMatch, at: Path, gain: string): Iterable<Doubt> {
  // One condition that no client can meet by itself is enough: all of them must hold.
  if (match.ip ?? match.asn ?? match.country) return
  const claims = KINDS.flatMap((kind) =>
    Object.entries(match[kind] ?? {}).map(([name, values]) => ({ kind, name, values })),
  )
  if (claims.some(({ kind, name, values }) => isSecret(kind, name, values))) return
  const [first] = claims
  if (first === undefined) return
  const { kind, name } = first
  const text = `Any client can send the ${WORDS[kind]} ${quote(name)}, ${gain}.`
  yield doubt([...at, kind, name], text, REMEDY)
}

const KINDS = ['header', 'cookie', 'query'] as const
const WORDS = { header: 'header', cookie: 'cookie', query: 'parameter' }

/** Headers with public values: a long value is no secret. */
const PUBLIC_HEADERS = new Set([
  ...['user-agent', 'referer', 'origin', 'host', 'accept', 'accept-language', 'accept-encoding'],
  ...['content-type', 'x-requested-with', 'from', 'via', 'x-forwarded-for', 'sec-fetch-mode'],
])
const SECRET_LENGTH = 16

function isSecret(kind: string, name: string, values: readonly string[]): boolean {
  if (kind === 'header' && PUBLIC_HEADERS.has(name)) return false
  return values.every((value) => !value.includes('*') && value.length >= SECRET_LENGTH)
}
