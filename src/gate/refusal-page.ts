/** The built-in pages for refused visitors. `{{retryAfter}}` stands for the seconds until the next try. */

const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Just a moment</title>
<style>
:root { color-scheme: light dark; --bar: #0a7ea4; --track: #d8e2e6 }
@media (prefers-color-scheme: dark) { :root { --bar: #4cc2e8; --track: #33434a } }
body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 18vh auto 0; padding: 0 1.5rem }
h1 { font-size: 1.75rem; line-height: 1.2 }
progress { appearance: none; display: block; width: 100%; height: .5rem; border: 0; border-radius: .25rem; overflow: hidden; background: var(--track) }
progress::-webkit-progress-bar { background: var(--track) }
progress::-webkit-progress-value { background: var(--bar) }
progress::-moz-progress-bar { background: var(--bar) }
</style>`

const COUNTDOWN = `<p role="timer">Seconds until the next try: <span id="s">{{retryAfter}}</span></p>
<progress id="p" max="{{retryAfter}}" value="0" aria-label="Time until the next try"></progress>`

const SCRIPT = `<script>
const end = Date.now() + {{retryAfter}}000
setInterval(() => {
  const left = Math.max(0, (end - Date.now()) / 1000)
  s.textContent = Math.ceil(left)
  p.value = p.max - left
}, 250)
</script>`

/** Tries again by itself. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
${HEAD}
<meta http-equiv="refresh" content="{{retryAfter}}">
</head>
<body>
<main>
<h1>Just a moment</h1>
<p>More people are here than we can serve well right now. You do not need to do anything: this page tries again by itself.</p>
${COUNTDOWN}
</main>
${SCRIPT}
</body>
</html>
`

/** For a form that was sent: a browser does not send it again by itself. */
export const FORM_PAGE = `<!doctype html>
<html lang="en">
<head>
${HEAD}
</head>
<body>
<main>
<h1>Just a moment</h1>
<p>More people are here than we can serve well right now. What you sent was not processed. Please send it again when the time below is over: go back one page, or reload this one.</p>
${COUNTDOWN}
</main>
${SCRIPT}
</body>
</html>
`
