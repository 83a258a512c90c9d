import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { claimsOf, type Form } from '../experiments/experiment.ts'
import { EXPERIMENTS } from '../experiments/index.ts'
import { Runs } from '../experiments/runs.ts'
import { claimsDocs, tournamentDocs, withSection } from '../report/docs.ts'
import { type Shown, withClaims } from '../report/experiment-section.ts'
import { page } from '../report/page.ts'
import { tournamentPicture } from '../report/picture.ts'
import { CONTESTS } from '../tournament/contests.ts'
import { FULL, QUICK } from '../tournament/schedule.ts'
import { tournament } from '../tournament/tournament.ts'
import { experimentJobs } from './run-one.ts'
import { Session } from './session.ts'

const PICTURE = fileURLToPath(new URL('../../docs/images/tournament.svg', import.meta.url))
const DOCS = fileURLToPath(new URL('../../docs/lab.md', import.meta.url))

export const report = strict(
  defineCommand({
    meta: {
      name: 'report',
      description:
        "Run everything and write one HTML page, the README's picture and the tables of docs/lab.md.",
    },
    args: {
      out: { type: 'string', description: 'File for the page', default: 'lab-report.html' },
      quick: {
        type: 'boolean',
        description: 'Three seeds and short forms; picture and docs stay unchanged',
        default: false,
      },
    },
    async run({ args }) {
      const session = new Session()
      const form: Form = args.quick ? 'short' : 'full'
      const outcome = await tournament(args.quick ? QUICK : FULL, (jobs) =>
        session.run('tournament', jobs),
      )
      const experiments: Shown[] = []
      for (const experiment of EXPERIMENTS) {
        const jobs = experimentJobs(
          experiment,
          form,
          experiment.policies(form),
          experiment.seeds[form],
        )
        const found = await session.run(experiment.name, jobs)
        if (found.includes(undefined)) break
        const runs = Runs.from(jobs.map((job, i) => ({ ...job, found: found[i]! })))
        experiments.push(withClaims(experiment, runs, claimsOf(experiment, form)))
      }
      session.close()
      const out = resolve(args.out)
      await mkdir(dirname(out), { recursive: true })
      await writeFile(out, page({ experiments, outcome }))
      console.log(`Wrote ${args.out}.`)
      if (args.quick || session.isStopped) return
      await mkdir(dirname(PICTURE), { recursive: true })
      await writeFile(PICTURE, tournamentPicture(outcome, CONTESTS.length))
      const docs = withSection(await readFile(DOCS, 'utf8'), 'tournament', tournamentDocs(outcome))
      await writeFile(DOCS, withSection(docs, 'claims', claimsDocs(experiments)))
      console.log('Wrote docs/images/tournament.svg and the tables of docs/lab.md.')
    },
  }),
)
