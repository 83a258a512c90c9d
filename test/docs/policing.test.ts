import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { testBatches } from '../../src/admission/batch/batch-test.ts'
import type { Order } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { allocate, type ClassDemand } from '../../src/coordinator/allocate-classes.ts'
import { classDelays } from '../../src/coordinator/class-delays.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'

const PAGE = readFileSync(new URL('../../docs/policing.md', import.meta.url), 'utf8')

/** The rows of the table whose header starts with this text, without the header. */
function table(head: string): string[][] {
  const from = PAGE.indexOf(`| ${head}`)
  const [block = ''] = PAGE.slice(from).split('\n\n')
  return block
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const numbers = (cells: readonly string[]) => cells.map((cell) => Number.parseFloat(cell))

function admittedPerSecond(limit: number, order: Order, classes: readonly ClassDemand[]) {
  const allocation = allocate({ limit, order, classes })
  const admitted = classes.map(({ key, arrivals }) => {
    const { conforming, probability } = allocation.classes[key]!
    return arrivals * (conforming + (1 - conforming) * probability)
  })
  return { allocation, admitted }
}

describe('docs/policing.md', () => {
  const config = loadConfig(JSON.parse(PAGE.split('```json')[1]!.split('```')[0]!), {
    origin: 'required',
    learners: LEARNER_OPTIONS,
  })
  const shop = config.routes[0]!.classes

  it('shares the limit out as its table says', ({ expect }) => {
    const rows = table('what happens')
    expect(rows).toHaveLength(5)
    for (const [what, limit, ...rest] of rows) {
      const asked = numbers(rest.slice(0, 3))
      const classes = shop.map(({ name, value, guaranteed }, i) => {
        return { key: name, value, guaranteed, arrivals: asked[i]!, cost: 1 }
      })
      const { allocation, admitted } = admittedPerSecond(Number(limit), 'value', classes)
      expect([allocation.drawLimit, ...admitted.map(rounded)], what).toEqual(numbers(rest.slice(3)))
    }
  })

  it('admits visitors with 0.1 and members with 0.44, and reports a guarantee that is too large', ({
    expect,
  }) => {
    const at = (limit: number, asked: readonly number[]) =>
      allocate({
        limit,
        order: 'value',
        classes: shop.map(({ name, value, guaranteed }, i) => {
          return { key: name, value, guaranteed, arrivals: asked[i]!, cost: 1 }
        }),
      })
    expect(at(60, [8, 32, 200]).classes.visitors!.probability).toBe(0.1)
    expect(at(60, [20, 90, 900]).classes.members!.probability).toBeCloseTo(0.44, 2)
    expect(at(4, [8, 32, 200]).overcommitted).toBe(true)
  })

  it('earns by value and by density what it says', ({ expect }) => {
    const classes = [
      { key: 'report', value: 10, guaranteed: 0, arrivals: 10, cost: 10 },
      { key: 'search', value: 3, guaranteed: 0, arrivals: 100, cost: 1 },
    ]
    const rows = table('order')
    expect(rows.map(([order]) => order)).toEqual(['value', 'density'])
    for (const [order, ...cells] of rows) {
      const { admitted } = admittedPerSecond(100, order as Order, classes)
      const earned = admitted.reduce((sum, rate, i) => sum + rate * classes[i]!.value, 0)
      expect([...admitted, earned], order).toEqual(numbers(cells))
    }
  })

  it('tests the batch as its table says', ({ expect }) => {
    const rows = table('class | waiting')
    const names = [...new Set(rows.map(([name]) => name))]
    const batches = names.map((name) => {
      const own = rows.filter(([other]) => other === name).map((cells) => numbers(cells.slice(1)))
      return {
        delayMs: own[0]![2]!,
        buckets: own.map(([count, serviceMs]) => ({ count: count!, serviceMs: serviceMs! })),
      }
    })
    const load = {
      queueingMs: 0,
      inFlight: 4,
      servers: 3,
      targetMs: 1000,
      longestMs: 0,
      rounding: 0,
    }
    const { admitted, tests } = testBatches(load, batches)
    expect(admitted.flat()).toEqual(rows.map((cells) => Number(cells[4])))
    expect(tests).toBe(rows.length - 1)
  })

  it('delays the classes as its table says', ({ expect }) => {
    const classes = [10, 20, 30].map((arrivals) => ({ arrivals, serviceMs: 20, mostMs: 900 }))
    const delaysMs = classDelays({ drop: 0.4, places: 5, classes })
    expect(delaysMs.map(Math.round)).toEqual(
      table('class | held').map((cells) => Number.parseInt(cells[1]!, 10)),
    )
  })
})

/** Rounded to a tenth, as in the table. */
function rounded(rate: number): number {
  return Math.round(rate * 10) / 10
}
