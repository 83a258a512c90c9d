/** The page with a new text between two of its marks, each of which stands there once. */
export function replaceBetween(page: string, start: string, end: string, text: string): string {
  const [before, rest, ...more] = page.split(start)
  const after = rest?.split(end).slice(1)
  if (before === undefined || after === undefined || after.length === 0 || more.length > 0) {
    throw new Error(`The page should hold "${start}" once, and "${end}" after it.`)
  }
  return `${before}${start}\n\n${text}\n${end}${after.join(end)}`
}
