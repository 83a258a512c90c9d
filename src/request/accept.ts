/** Content negotiation with q-values (RFC 9110, §12.5). */

interface Preference {
  readonly name: string
  readonly q: number
}

/** Longer headers are cut: a client needs only a few preferences. */
const MOST_PREFERENCES = 30

function preferences(header: string | null): readonly Preference[] {
  if (header === null) return []
  return header
    .split(',', MOST_PREFERENCES)
    .map((part) => {
      const [name = '', ...parameters] = part.split(';')
      const given = parameters.map((one) => one.trim()).find((one) => /^q=/i.test(one))
      const q = given === undefined ? 1 : Number(given.slice(2))
      return { name: name.trim().toLowerCase(), q: q >= 0 && q <= 1 ? q : 0 }
    })
    .filter(({ name }) => name !== '')
}

/**
 * Does the client prefer a page to a document for programs? Browsers name HTML when they navigate. A client that takes
 * anything is a program.
 */
export function prefersHtml(accept: string | null): boolean {
  const all = preferences(accept)
  const html = all.find(({ name }) => name === 'text/html' || name === 'application/xhtml+xml')
  if (html === undefined || html.q === 0) return false
  const json = all.find(
    ({ name }) => name === 'application/json' || name === 'application/problem+json',
  )
  if (json === undefined) return true
  return html.q === json.q ? all.indexOf(html) < all.indexOf(json) : html.q > json.q
}

/** The first of the client's languages that is one of these; null: none is. `pt-BR` is `pt`. */
export function languageOf(
  acceptLanguage: string | null,
  languages: ReadonlySet<string>,
): string | null {
  const wanted = preferences(acceptLanguage)
    .filter(({ q }) => q > 0)
    .toSorted((a, b) => b.q - a.q)
  for (const { name } of wanted) {
    const language = name.split('-')[0]!
    if (languages.has(language)) return language
  }
  return null
}
