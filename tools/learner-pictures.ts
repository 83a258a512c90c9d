/**
 * Writes the pictures and the tables of results of docs/learners.md, and the surges of docs/design/soc-lqr.md, from
 * simulated runs:
 *   node tools/learner-pictures.ts            writes everything, always the same
 *   node tools/learner-pictures.ts --surges   writes the surges only
 *   node tools/learner-pictures.ts --seed 2   prints the tables for another seed and writes nothing
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { classesCourse } from './learners/courses.ts'
import { aimdPicture, lqrPicture, probabilityPicture } from './learners/laws.ts'
import { type Outcome, Results } from './learners/results.ts'
import { resultsText } from './learners/results-text.ts'
import { knowledgeAfterWaves, socCurvePicture } from './learners/soc-curve-picture.ts'
import { surgeOf } from './learners/surge.ts'
import { surgePicture } from './learners/surge-picture.ts'
import { timelineOf } from './learners/timeline.ts'
import { Trials } from './learners/trial.ts'
import { replaceBetween } from './marked-text.ts'

const SEED = 1
const PAGE = new URL('../docs/learners.md', import.meta.url)
const IMAGES = new URL('../docs/images/learners/', import.meta.url)

const { values } = parseArgs({
  options: { seed: { type: 'string' }, surges: { type: 'boolean', default: false } },
})
const seed = Number(values.seed ?? SEED)
if (values.surges) drawSurges()
else writePage()

function writePage(): void {
  const results = new Results(seed)
  const outcomes = results.ofLearners()
  const tables = { results: resultsText(outcomes), hints: resultsText(results.ofHints()) }
  console.log(`${tables.results}\n${tables.hints}`)
  if (values.seed !== undefined) return
  drawAll(outcomes)
  drawSurges()
  writeTables(tables)
}

function drawSurges(): void {
  for (const granularity of ['request', 'session'] as const) {
    draw(`../soc-lqr-surge-${granularity}`, surgePicture(surgeOf(granularity, seed)))
  }
}

function drawAll(outcomes: readonly Outcome[]): void {
  mkdirSync(IMAGES, { recursive: true })
  for (const { name, shop } of outcomes) {
    const learner = /^`(.*)`$/.exec(name)?.[1]
    if (learner !== undefined) draw(learner, timelineOf(shop, { title: learner }))
  }
  const multiclass = { name: 'aimd', options: { multiclass: true } }
  const classes = new Trials(classesCourse(), seed).ofLearner(multiclass)
  draw('aimd-multiclass', timelineOf(classes, { title: 'aimd, multiclass', byClass: true }))
  draw('tbac-pac-law', probabilityPicture())
  draw('aimd-law', aimdPicture())
  draw('lqr-law', lqrPicture())
  draw('soc-curve', socCurvePicture(knowledgeAfterWaves(seed)))
}

function draw(name: string, svg: string): void {
  writeFileSync(new URL(`${name}.svg`, IMAGES), svg)
}

function writeTables(tables: Readonly<Record<string, string>>): void {
  const page = Object.entries(tables).reduce(
    (filled, [what, text]) =>
      replaceBetween(
        filled,
        `<!-- ${what}: written by \`node tools/learner-pictures.ts\` -->`,
        `<!-- end of ${what} -->`,
        text,
      ),
    readFileSync(PAGE, 'utf8'),
  )
  writeFileSync(PAGE, page)
}
