import { nearest } from '../../src/config/errors/wording.ts'

/** Whose names they are, for the text of an error. */
interface Wanted {
  readonly flag: string
  readonly one: string
  readonly all: string
}

const POLICY: Wanted = { flag: '--policy', one: 'a policy', all: 'policies' }

/** Splits a comma-separated list of names. A name may contain commas itself ("95 %, evenly"). */
export function namesIn(
  text: string,
  known: readonly string[],
  wanted: Wanted = POLICY,
): readonly string[] {
  const parts = text.split(',').map((part) => part.trim())
  const names: string[] = []
  for (let from = 0; from < parts.length; ) {
    let to = parts.length
    while (to > from && !known.includes(parts.slice(from, to).join(', '))) to--
    if (to === from) throw unknownName(parts[from]!, known, wanted)
    names.push(parts.slice(from, to).join(', '))
    from = to
  }
  return names
}

function unknownName(name: string, known: readonly string[], wanted: Wanted): RangeError {
  const meant = nearest(name, known)
  const remedy =
    meant === null ? `Known ${wanted.all}: ${known.join('; ')}.` : `Did you mean "${meant}"?`
  return new RangeError(
    `${wanted.flag}: expected the name of ${wanted.one}, got "${name}". ${remedy}`,
  )
}
