import { nearest } from '../../src/config/errors/wording.ts'

/** Splits a comma-separated list of names. A name may contain commas itself ("95 %, evenly"). */
export function namesIn(text: string, known: readonly string[]): readonly string[] {
  const parts = text.split(',').map((part) => part.trim())
  const names: string[] = []
  for (let from = 0; from < parts.length; ) {
    let to = parts.length
    while (to > from && !known.includes(parts.slice(from, to).join(', '))) to--
    if (to === from) throw unknownName(parts[from]!, known)
    names.push(parts.slice(from, to).join(', '))
    from = to
  }
  return names
}

function unknownName(name: string, known: readonly string[]): RangeError {
  const meant = nearest(name, known)
  const remedy =
    meant === null ? `Known policies: ${known.join('; ')}.` : `Did you mean "${meant}"?`
  return new RangeError(`--policy: expected the name of a policy, got "${name}". ${remedy}`)
}
