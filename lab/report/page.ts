import { escaped } from '../../tools/escaped.ts'
import { CONTESTS } from '../tournament/contests.ts'
import type { TournamentResult } from '../tournament/tournament.ts'
import { experimentSection, type Shown } from './experiment-section.ts'
import { tournamentSections } from './tournament-section.ts'

const STYLE = `
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, sans-serif; color: #0f172a; background: #f8fafc; margin: 0 }
main { max-width: 1120px; margin: 0 auto; padding: 24px }
h1 { font-size: 28px } h2 { margin-top: 48px; border-bottom: 2px solid #e2e8f0 } h3 { margin-top: 32px }
table { border-collapse: collapse; font-size: 13px; background: #fff }
th, td { border: 1px solid #e2e8f0; padding: 3px 8px; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.wide { overflow-x: auto } .good { background: #dcfce7 } .bad { background: #fee2e2 } .own { font-weight: 600 }
.figures { display: flex; flex-wrap: wrap; gap: 12px } .figures svg { width: 440px; max-width: 100%; border: 1px solid #e2e8f0 }
ul.claims { list-style: none; padding: 0 } ul.claims li { margin: 8px 0; padding: 8px 12px; background: #fff; border-left: 5px solid #16a34a }
ul.claims li.missed { border-color: #dc2626 } .seen { color: #475569; font-size: 14px }
`

interface PageOptions {
  readonly experiments: readonly Shown[]
  readonly outcome: TournamentResult
}

/** All results on one self-contained page. */
export function page({ experiments, outcome }: PageOptions): string {
  const claims = experiments.flatMap(({ claims: all }) => all)
  const held = claims.filter(({ holds }) => holds).length
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidegate: results of the lab</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Results of the lab</h1>
<p>The product's own learners, coordinator and edge ran in simulated time on ${CONTESTS.length} scenarios. They are compared with all rivals
and with a clairvoyant, which knows the origin's true capacity at each moment. The experiments of the papers follow:
${held} of ${claims.length} claims hold. The same seeds give the same page.</p>
${tournamentSections(outcome)}
${experiments.map(experimentSection).join('\n')}
<p>${escaped('How to run all this, and what is measured: docs/lab.md.')}</p>
</main>
</body>
</html>
`
}
