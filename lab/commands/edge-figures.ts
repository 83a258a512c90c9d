import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { COSTS_CASES, costsFigure } from '../edge/costs.ts'
import {
  ENFORCEMENT_CASES,
  enforcementFigure,
  FAULTS,
  ISOLATES,
  NO_FAULTS,
} from '../edge/enforcement.ts'
import { NEWBORN_CASES, newbornFigure } from '../edge/newborn.ts'
import { table } from '../report/table.ts'

const args = {
  seed: { type: 'string', description: 'Of the visitors', default: '1' },
  json: { type: 'boolean', description: 'Print JSON', default: false },
} as const

export const newborn = strict(
  defineCommand({
    meta: {
      name: 'newborn',
      description: 'Isolates multiply 50-fold in a 20-fold crowd: how much is admitted too much.',
    },
    args,
    async run({ args: { seed, json } }) {
      const figures = []
      for (const { learner, colos, lost } of NEWBORN_CASES) {
        figures.push(await newbornFigure(learner, colos, lost, Number(seed)))
      }
      if (json) {
        console.log(JSON.stringify(figures, null, 2))
        return
      }
      const rows = figures.map(({ learner, colos, lost, excessS, bySecond }) => [
        learner,
        String(colos),
        String(lost),
        excessS.toFixed(2),
        bySecond.map((part) => part.toFixed(1)).join(' '),
      ])
      console.log(
        table(['learner', 'colos', 'lost', 'excess s', 'admitted by second / limit'], rows),
      )
      console.log(
        "\nExcess: the largest that adds up within 10 s of the onset, in seconds' worth of the limit (aim: at most 2).",
      )
    },
  }),
)

export const enforcement = strict(
  defineCommand({
    meta: {
      name: 'enforcement',
      description: 'What is admitted against what was told, with 1 to 1,000 isolates.',
    },
    args: {
      ...args,
      faults: {
        type: 'boolean',
        description: 'A twentieth of the messages is lost, and a tenth comes two seconds late',
        default: false,
      },
    },
    async run({ args: { seed, json, faults } }) {
      const figures = []
      const messages = faults ? FAULTS : NO_FAULTS
      for (const told of ENFORCEMENT_CASES) {
        for (const isolates of ISOLATES) {
          figures.push(await enforcementFigure(told, isolates, Number(seed), messages))
        }
      }
      if (json) {
        console.log(JSON.stringify(figures, null, 2))
        return
      }
      const rows = figures.map(({ told, isolates, ratio, worst, within }) => [
        told,
        String(isolates),
        ratio.toFixed(3),
        worst.toFixed(3),
        `${(100 * within).toFixed(0)} %`,
      ])
      console.log(table(['told', 'isolates', 'admitted/told', 'worst 5 s', 'within'], rows))
      console.log(
        '\nFrom 10 s after the onset, in windows of 5 s; within: 5 % or 2 admissions; of a cap: its level within 10 % or 2.',
      )
    },
  }),
)

export const costs = strict(
  defineCommand({
    meta: {
      name: 'costs',
      description:
        'The mix of cheap and costly answers changes in overload: costs learned, and all alike.',
    },
    args,
    async run({ args: { seed, json } }) {
      const figures = []
      for (const each of COSTS_CASES) {
        for (const isolates of each.isolates) {
          for (const countsAlike of [false, true]) {
            figures.push(await costsFigure(each, { isolates, countsAlike, seed: Number(seed) }))
          }
        }
      }
      if (json) {
        console.log(JSON.stringify(figures, null, 2))
        return
      }
      const rows = figures.map((figure) => [
        figure.name,
        String(figure.isolates),
        figure.countsAlike ? 'alike' : 'learned',
        figure.searchCost.toFixed(2),
        figure.share.toFixed(2),
        `${(100 * figure.lateShare).toFixed(1)} %`,
        `${figure.windowsMissed} of ${figure.windows}`,
      ])
      console.log(
        table(['case', 'isolates', 'costs', 'a search', 'share', 'late', 'windows missed'], rows),
      )
      console.log(
        '\nA search: what it counts as after half a minute; it costs 3.3 mean pages. Share: answered in time, as a part of what the servers can serve of the mix that comes. From the first change on.',
      )
    },
  }),
)
