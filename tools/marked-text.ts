/** Replaces the text between two marks. The page must contain each mark once. */
export function replaceBetween(page: string, start: string, end: string, text: string): string {
  const [before, rest, ...more] = page.split(start)
  const after = rest?.split(end).slice(1)
  if (before === undefined || after === undefined || after.length === 0 || more.length > 0) {
    throw new Error(`The page must contain "${start}" once, and "${end}" after it.`)
  }
  return `${before}${start}\n\n${text}\n${end}${after.join(end)}`
}
