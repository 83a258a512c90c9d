import { escaped } from '../../tools/escaped.ts'

export function htmlTable(
  heads: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
): string {
  const head = heads.map((text) => `<th>${escaped(text)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map(cellHtml).join('')}</tr>`).join('\n')
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

/** A cell with a CSS class. */
export interface Cell {
  readonly text: string
  readonly kind: 'good' | 'bad' | 'own' | 'plain'
}

function cellHtml(cell: string | Cell): string {
  if (typeof cell === 'string') return `<td>${escaped(cell)}</td>`
  return `<td class="${cell.kind}">${escaped(cell.text)}</td>`
}
