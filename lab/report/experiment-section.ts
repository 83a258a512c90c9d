import { escaped } from '../../tools/escaped.ts'
import type { Claim, Experiment } from '../experiments/experiment.ts'
import type { Runs } from '../experiments/runs.ts'
import { figuresOf } from './figures.ts'

/** An experiment with its runs and the results for its claims. */
export interface Shown {
  readonly experiment: Experiment
  readonly runs: Runs
  readonly claims: readonly ClaimResult[]
}

interface ClaimResult {
  readonly claim: Claim
  readonly holds: boolean
  readonly found: string
}

export function withClaims(experiment: Experiment, runs: Runs, claims: readonly Claim[]): Shown {
  return {
    experiment,
    runs,
    claims: claims.map((claim) => ({ claim, holds: claim.holds(runs), found: claim.found(runs) })),
  }
}

const PAPERS = {
  cataclysm: 'Cataclysm (Urgaonkar and Shenoy 2005)',
  lqr: 'LQR (Mathur, Patil, Apte and Moudgalya)',
  provisioning: 'Provisioning (Urgaonkar, Shenoy, Chandra, Goyal and Wood 2008)',
  seda: 'SEDA (Welsh and Culler 2003)',
  soc: 'SOC (Bartolini, Bongiovanni and Silvestri)',
} as const

export function experimentSection({ experiment, runs, claims }: Shown): string {
  const { paper, figure, title, name } = experiment
  return `<section id="${name}">
<h2>${escaped(PAPERS[paper])}, ${escaped(figure)}</h2>
<p>${escaped(title)}.</p>
<ul class="claims">
${claims.map(claimItem).join('\n')}
</ul>
<div class="figures">
${figuresOf(experiment, runs).join('\n')}
</div>
</section>`
}

function claimItem({ claim, holds, found }: ClaimResult): string {
  const why = !holds && claim.missed !== undefined ? ` Why: ${claim.missed}` : ''
  return `<li class="${holds ? 'held' : 'missed'}">${holds ? 'Holds' : 'Does not hold'}: ${escaped(claim.text)}.<br><span class="seen">Seen: ${escaped(found)}.${escaped(why)}</span></li>`
}
