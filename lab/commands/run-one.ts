import { seeds as seedList } from '../engine/seeds.ts'
import { claimsOf, type Experiment, type Form } from '../experiments/experiment.ts'
import { Runs } from '../experiments/runs.ts'
import { experimentJson, experimentText } from '../experiments/texts.ts'
import type { Measured } from '../gate/measures.ts'
import type { ContestJob, ExperimentJob, FileJob } from '../jobs/job.ts'
import { capacityOf, statesOf, withBest } from '../scenario-file/best.ts'
import type { Content } from '../scenario-file/contest.ts'
import { loadScenario } from '../scenario-file/load.ts'
import { linesJson } from '../tournament/json.ts'
import { CLAIRVOYANT, LEARNER_NAMES, PEER_NAMES, POLICY_NAMES } from '../tournament/policies.ts'
import type { Contest } from '../tournament/scenario.ts'
import { type ContestLine, linesOf, type Result } from '../tournament/standing.ts'
import { contestText } from '../tournament/texts.ts'
import { namesIn } from './names.ts'
import type { Session } from './session.ts'

export interface Choice {
  /** Comma-separated names. @default all */
  readonly policies: string | undefined
  /** @default the experiment's own, or 10 */
  readonly seeds: number | undefined
  readonly form: Form
}

export interface Done {
  readonly name: string
  readonly text: string
  readonly json: unknown
}

const SEEDS = 10

export async function runExperiment(
  session: Session,
  experiment: Experiment,
  { policies, seeds, form }: Choice,
): Promise<Done> {
  const { name } = experiment
  const all = experiment.policies('full')
  const chosen = policies === undefined ? experiment.policies(form) : namesIn(policies, all)
  const jobs = experimentJobs(experiment, form, chosen, seeds ?? experiment.seeds[form])
  const found = await session.run(name, jobs)
  const runs = Runs.from(
    jobs.flatMap((job, i) => (found[i] === undefined ? [] : [{ ...job, found: found[i] }])),
  )
  // A claim needs all the runs that it refers to.
  const isWhole = chosen.length === all.length || policies === undefined
  const claims = isWhole && !found.includes(undefined) ? claimsOf(experiment, form) : []
  return {
    name,
    text: experimentText(experiment, runs, claims),
    json: experimentJson(experiment, runs, claims),
  }
}

export function experimentJobs(
  experiment: Experiment,
  form: Form,
  policies: readonly string[],
  seeds: number,
): readonly ExperimentJob[] {
  return seedList(seeds).flatMap((seed) =>
    experiment.points(form).flatMap((point) =>
      policies.map(
        (policy): ExperimentJob => ({
          kind: 'experiment',
          experiment: experiment.name,
          point,
          policy,
          seed,
          form,
        }),
      ),
    ),
  )
}

export async function runContest(
  session: Session,
  contest: Contest,
  choice: Choice,
): Promise<Done> {
  const jobs = jobsFor(choice, (policy, seed): ContestJob => {
    return { kind: 'contest', contest: contest.name, policy, seed }
  })
  const lines = linesFor(contest.name, jobs, await session.run(contest.name, jobs), choice)
  return contestDone(contest.name, contest.text, lines)
}

export async function runFile(session: Session, file: string, choice: Choice): Promise<Done> {
  const content = await withBestLoads(session, await loadScenario(file))
  const { name, text = name } = content.scenario
  const jobs = jobsFor(choice, (policy, seed): FileJob => ({ kind: 'file', content, policy, seed }))
  const lines = linesFor(name, jobs, await session.run(name, jobs), choice)
  return contestDone(name, text, lines)
}

/** Finds the load that the clairvoyant keeps, for each capacity in the scenario. */
async function withBestLoads(session: Session, content: Content): Promise<Content> {
  const states = statesOf(content)
  const jobs = states.map((state) => ({ kind: 'best-load', content, state }) as const)
  const loads = await session.run('best load', jobs)
  return withBest(
    content,
    loads.map((load, i) => [capacityOf(states[i]!), load ?? 1] as const),
  )
}

function contestDone(name: string, text: string, lines: readonly ContestLine[]): Done {
  return {
    name,
    text: `${name}: ${text}\n${contestText(lines)}`,
    json: { text, policies: linesJson(lines) },
  }
}

/**
 * Seed by seed, with the clairvoyant in each: an interrupted run has fewer seeds, but for all
 * policies.
 */
function jobsFor<Job>(
  { policies, seeds = SEEDS }: Choice,
  job: (policy: string, seed: number) => Job,
): readonly Job[] {
  const chosen =
    policies === undefined ? [...LEARNER_NAMES, ...PEER_NAMES] : namesIn(policies, POLICY_NAMES)
  const compared = [...new Set([CLAIRVOYANT, ...chosen])]
  return seedList(seeds).flatMap((seed) => compared.map((policy) => job(policy, seed)))
}

function linesFor(
  contest: string,
  jobs: readonly { readonly policy: string; readonly seed: number }[],
  measured: readonly (Measured | undefined)[],
  { policies }: Choice,
): readonly ContestLine[] {
  const results = jobs.flatMap(({ policy, seed }, i): Result[] =>
    measured[i] === undefined ? [] : [{ contest, policy, seed, measured: measured[i] }],
  )
  const lines = linesOf(results)
  const asked = policies === undefined ? undefined : namesIn(policies, POLICY_NAMES)
  return asked === undefined ? lines : lines.filter(({ policy }) => asked.includes(policy))
}
