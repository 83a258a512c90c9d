/** A URL without a query parameter, and the value that it had. */
export interface TakenParameter {
  readonly url: string
  readonly value: string
}

/** null: the URL does not have it. The other parameters stay as they are written. */
export function takeParameter(url: string, name: string): TakenParameter | null {
  const question = url.indexOf('?')
  if (question < 0 || !url.includes(`${name}=`, question)) return null
  const hash = url.indexOf('#')
  const end = hash < 0 ? url.length : hash
  // A question mark in the fragment starts no query.
  if (end < question) return null
  const parts = url.substring(question + 1, end).split('&')
  const isIt = (part: string): boolean => part.startsWith(`${name}=`)
  const found = parts.find(isIt)
  if (found === undefined) return null
  const rest = parts.filter((part) => !isIt(part)).join('&')
  return {
    url: url.substring(0, question) + (rest === '' ? '' : `?${rest}`) + url.substring(end),
    value: decoded(found.substring(name.length + 1)),
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
