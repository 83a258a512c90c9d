/** Columns of text. The first is aligned to the left, the others to the right. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('   ')
      .trimEnd()
  return [line(titles), ...rows.map(line)]
}

/** With commas: 11,900. */
export const count = (value: number): string => Math.round(value).toLocaleString('en-US')
