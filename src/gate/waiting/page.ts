/**
 * The built-in waiting page. It has no external files. Without JavaScript the whole page is loaded again; with it, only
 * the figures change, so that a screen reader reads what is new.
 */
export const WAITING_PAGE = `<!doctype html>
<html lang="{{language}}" dir="{{direction}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{{title}}</title>
{{noscript}}
<style>
:root { color-scheme: light dark; --bar: #0a6f92; --track: #d8e2e6; --soft: #4a5860; --back: #fff; --text: #12191d }
@media (prefers-color-scheme: dark) { :root { --bar: #4cc2e8; --track: #33434a; --soft: #b4c2c9; --back: #11181c; --text: #f1f5f7 } }
html { background: var(--back); color: var(--text) }
* { box-sizing: border-box }
body { font: 1.0625rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto 3rem; padding: 0 1.5rem }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: 1.5rem 0 }
dt { color: var(--soft); font-size: .9375rem }
dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums }
progress { appearance: none; display: block; width: 100%; height: .625rem; border: 0; border-radius: .3rem; overflow: hidden; background: var(--track) }
progress::-webkit-progress-bar { background: var(--track) }
progress::-webkit-progress-value { background: var(--bar); transition: width .5s }
progress::-moz-progress-bar { background: var(--bar) }
.soft { color: var(--soft); font-size: .9375rem }
@media (max-width: 26rem) { body { margin-top: 2rem } dl { grid-template-columns: 1fr } }
@media (prefers-reduced-motion: reduce) { progress::-webkit-progress-value { transition: none } }
</style>
</head>
<body>
<main data-ms="{{refreshMs}}" data-poll="{{poll}}">
<h1>{{title}}</h1>
<p>{{text}}</p>
{{notice}}
{{challenge}}
<div role="status" aria-live="polite">
<dl>
<div><dt>{{placeLabel}}</dt><dd id="place">{{place}}</dd></div>
<div><dt>{{waitLabel}}</dt><dd id="wait">{{wait}}</dd></div>
</dl>
</div>
<progress id="bar" max="100" value="{{progress}}" aria-label="{{waitLabel}}"></progress>
<p class="soft">{{updatedLabel}}: <time id="time" datetime="{{updatedIso}}">{{updated}}</time></p>
</main>
<script>
(() => {
const main = document.querySelector('main')
const at = (id, root = document) => root.getElementById(id)
const clock = () => { const t = at('time'); t.textContent = new Date(t.dateTime).toLocaleTimeString(document.documentElement.lang) }
let timer
const next = () => { timer = setTimeout(poll, main.dataset.ms) }
async function poll(token) {
  clearTimeout(timer)
  if (main.dataset.poll !== '1') return location.reload()
  try {
    const answer = await fetch(location.href, { headers: { 'Tidegate-Poll': '1', Accept: 'text/html', ...(token ? { 'Tidegate-Challenge': token } : {}) }, cache: 'no-store' })
    if (!answer.headers.has('Tidegate-Waiting')) return location.reload()
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const id of ['place', 'wait']) if (at(id).textContent !== at(id, page).textContent) at(id).textContent = at(id, page).textContent
    at('bar').value = at('bar', page).value
    at('time').dateTime = at('time', page).dateTime
    if (!at('challenge', page)) at('challenge')?.remove()
    else if (token) window.turnstile?.reset()
    main.dataset.ms = page.querySelector('main').dataset.ms
    clock()
  } catch {}
  next()
}
window.tidegateChallenge = poll
clock()
if (main.dataset.ms) next()
})()
</script>
</body>
</html>
`

/** Replaces every `{{name}}` in one pass, so that a value cannot bring another `{{name}}`. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  )
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
