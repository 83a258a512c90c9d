/** Files without service time: a style sheet and an image. */

interface Asset {
  readonly type: string
  readonly body: Buffer
}

const STYLE = `:root{color-scheme:light dark;--sea:#0b6e8f}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:0 auto;padding:0 1rem}
header{display:flex;gap:1.5rem;align-items:center;padding:1rem 0;border-bottom:2px solid var(--sea)}
header a{display:flex;gap:.5rem;align-items:center;font-weight:700}
header form{flex:1;display:flex;gap:.5rem}header input{flex:1;min-width:0}
a{color:var(--sea);text-decoration:none}a:hover{text-decoration:underline}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:1rem}
.cards a,.one{display:grid;gap:.25rem;padding:1rem;border:1px solid #8886;border-radius:.75rem}
.cards b,.one b{font-size:2.5rem}.cards i{opacity:.7}
.button{background:var(--sea);color:#fff;border:0;border-radius:.5rem;padding:.5rem 1rem;font:inherit;width:fit-content}
footer{margin:3rem 0 1rem;opacity:.7;font-size:.85rem}
`

const WAVE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="14" fill="#0b6e8f"/>
<path d="M0 40q8-10 16 0t16 0 16 0 16 0v24H0z" fill="#5cc4e0"/>
<path d="M0 48q8-8 16 0t16 0 16 0 16 0v16H0z" fill="#d8f3fb"/></svg>
`

export const ASSETS: Readonly<Record<string, Asset>> = {
  '/static/shop.css': { type: 'text/css; charset=utf-8', body: Buffer.from(STYLE) },
  '/static/wave.svg': { type: 'image/svg+xml', body: Buffer.from(WAVE) },
}

/** What to send of a body of `size` bytes: a range, all of it, or 416. */
type Slice =
  | { readonly status: 200 }
  | { readonly status: 206; readonly from: number; readonly to: number }
  | { readonly status: 416 }

/** RFC 9110, §14.2: one range of bytes. Any other form of the header is ignored. */
export function sliceOf(range: string | undefined, size: number): Slice {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return { status: 200 }
  const [, first, last] = match
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < from) return { status: 200 }
  return from >= size || from > to ? { status: 416 } : { status: 206, from, to }
}
