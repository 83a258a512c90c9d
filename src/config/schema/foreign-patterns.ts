import { quote } from '../errors/wording.ts'
import type { Complaint } from './explain.ts'

/**
 * Patterns as other frameworks write them: `/items/:id`, `/items/{id}`, `^/api/.*$`, `/bot/i`. Here they would match
 * nothing, or something else, so they are errors that say what to write instead.
 */

const PATH_FORM = 'a path pattern: "/", "/cart", "/shop/*" or "/items/*/buy"'
const TEXT_FORM = 'a text with "*" at its start or end only, not a regular expression'

/** One segment of a path: a parameter, or the part of a regular expression that stands for anything. */
const PARAMETER = /^(:\w+[?*+]?(\(.*\))?|\{[\w.:*]+\}|\[\[?(\.\.\.)?\w+\]?\]|<[\w:]+>|\$[a-z]\w*)$/
const ANYTHING = /^(\*\*+|\.[*+]\??|\(\.[*+]\??\)|\(?\[\^\/\]?[*+]\)?|\(?\\[dw][*+]\)?)$/

/** null: it is not a pattern of another framework. */
export function foreignPathComplaint(path: string): Complaint | null {
  const isExpression = /^\^|\$$|\\[/.dw]|\.\*|\[\^|\(\?/.test(path)
  const segments = path.split('/')
  const isForeign = segments.some((segment) => PARAMETER.test(segment) || ANYTHING.test(segment))
  if (!isExpression && !isForeign) return null
  const meant = pathMeant(path)
  const remedy =
    meant === null
      ? 'Write "*" for one whole segment, or "/*" at the end for everything below.'
      : `Write ${quote(meant)}: "*" is one segment; at the end it is any number of them.`
  return { expected: PATH_FORM, remedy }
}

/** The same path in Tidegate's form. null: it says more than a path pattern can. */
export function pathMeant(path: string): string | null {
  const bare = path
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll('[^/]', '[^]')
    .replaceAll('\\/', '/')
    .replaceAll('\\.', '.')
    .replace(/([^/])(\.\*|\(\.\*\))$/, '$1/*')
    .replace(/\/+$/, '')
  const parts = bare.replace(/^\/+/, '').split('/')
  const segments = parts.map((part) =>
    part === '*' || PARAMETER.test(part) || ANYTHING.test(part) || part === '[^]+' ? '*' : part,
  )
  const isPlain = segments.every((segment) => segment === '*' || /^[\w.~%@!,;=-]+$/.test(segment))
  return isPlain && segments.join('') !== '' ? `/${segments.join('/')}` : null
}

/** A value of a header, a cookie or a parameter. null: it is no regular expression. */
export function foreignValueComplaint(value: string): Complaint | null {
  const [, delimited] = /^\/([^/]+)\/[dgimsuvy]*$/.exec(value) ?? []
  const isExpression = delimited !== undefined || /^\^|\.[*+]/.test(value)
  if (!isExpression) return null
  const meant = valueMeant(delimited ?? value)
  const remedy =
    meant === null
      ? 'Write for example "gold*", or a list of texts.'
      : `Write ${listText(meant)}: upper and lower case differ.`
  return { expected: TEXT_FORM, remedy }
}

/** The texts that a simple regular expression stands for. null: it says more than such texts can. */
export function valueMeant(expression: string): readonly string[] | null {
  const alternatives = expression.replace(/^\(\??:?(.*)\)$/, '$1').split('|')
  const texts = alternatives.map((alternative) => {
    const start = alternative.startsWith('^') ? '' : '*'
    const end = alternative.endsWith('$') ? '' : '*'
    const inner = alternative
      .replace(/^\^/, '')
      .replace(/\$$/, '')
      .replace(/^\.[*+]|\.[*+]$/g, '')
      .replaceAll(/\\([/.])/g, '$1')
    const isPlain = /^[\w ./:;,=@-]+$/.test(inner)
    const open = /^\^?\.[*+]/.test(alternative) ? '*' : start
    const close = /\.[*+]\$?$/.test(alternative) ? '*' : end
    return isPlain ? `${open}${inner}${close}` : null
  })
  return texts.includes(null) ? null : (texts as string[])
}

const listText = (texts: readonly string[]): string =>
  texts.length === 1 ? quote(texts[0]!) : `[${texts.map(quote).join(', ')}]`

/** What to write for a path that is not a text. A regular expression becomes a pattern that takes no more than it. */
export function pathInstead(input: unknown, example: string): string {
  if (!(input instanceof RegExp)) return `Write for example ${quote(example)}.`
  const meant = pathMeant(input.source)
  return meant === null
    ? `Write a text, for example ${quote(example)}: there are no regular expressions.`
    : `Write ${quote(meant)}, or ${quote(`${meant.replace(/\/\*$/, '')}/*`)} with everything below it.`
}

export function valueInstead(input: unknown): string {
  if (input === false)
    return 'A condition cannot ask for something that is absent. Match the requests that have it, in an earlier class.'
  const meant = input instanceof RegExp ? valueMeant(input.source) : null
  if (meant !== null) return `Write ${listText(meant)}: upper and lower case differ.`
  if (input instanceof RegExp) return 'Write for example "gold*": there are no regular expressions.'
  return typeof input === 'number'
    ? `Write ${quote(String(input))}.`
    : 'Write true if any value will do.'
}
