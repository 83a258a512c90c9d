import { DEGRADE_TEXTS, QUEUE_TEXTS, REFUSAL_TEXTS } from '../protocol/verdict.ts'

/** Every problem document links here. Anybody may read it. */
export const REASONS_PATH = '/_tidegate/reasons'

/** What each reason of a refusal means. */
export function reasonsPage(): Response {
  const rows = Object.entries({ ...DEGRADE_TEXTS, ...QUEUE_TEXTS, ...REFUSAL_TEXTS }).map(
    ([reason, text]) => `<dt id="${reason}"><code>${reason}</code></dt><dd>${text}</dd>`,
  )
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Why a request was refused</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1.5rem }
</style>
</head>
<body>
<main>
<h1>Why a request was refused</h1>
<dl>
${rows.join('\n')}
</dl>
</main>
</body>
</html>
`
  return new Response(page, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'max-age=3600' },
  })
}
