/** The first column and texts at the left, figures at the right. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const last = widths.length - 1
  const cell = (text: string, column: number) =>
    column === 0 || column === last ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd())
}
