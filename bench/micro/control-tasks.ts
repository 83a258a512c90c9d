import { allocate } from '../../src/coordinator/allocate-classes.ts'
import { buildSample } from '../../src/coordinator/build-sample.ts'
import { coordinatorSetup } from '../../src/gate/coordinator-setup.ts'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { createLearner, LEARNERS } from '../../src/learners/registry.ts'
import { mergeRoutes } from '../../src/protocol/merge-reports.ts'
import { planOf, reportOf, routesOf, START_MS } from './fixtures.ts'
import type { Task } from './task.ts'

/** What the relay and the coordinator do with reports, and what each learner does with a tick. */
export function controlTasks(): readonly Task[] {
  return [
    ...messageTasks(),
    ...Object.keys(LEARNERS).map(learning),
    ...[3, 10, 100].map(allocating),
  ]
}

/** Between Durable Objects a message is cloned; over HTTP it is JSON. */
function messageTasks(): readonly Task[] {
  const routes = routesOf(1, 3)
  const report = reportOf(routes, { seq: 1 })
  const other = reportOf(routes, { seq: 2, requests: 130 })
  const plan = planOf(routes)
  const reportText = JSON.stringify(report)
  const planText = JSON.stringify(plan)
  return [
    { name: 'merge two reports', run: () => mergeRoutes(report.routes, other.routes) },
    { name: 'report, encode', run: () => JSON.stringify(report) },
    { name: 'report, decode', run: () => JSON.parse(reportText) },
    { name: 'report, clone', run: () => structuredClone(report) },
    { name: 'plan, encode', run: () => JSON.stringify(plan) },
    { name: 'plan, decode', run: () => JSON.parse(planText) },
    { name: 'plan, clone', run: () => structuredClone(plan) },
  ]
}

/** A load that rises and falls, so that no branch is always taken. */
const TICKS = 64

function learning(name: string): Task {
  const routes = routesOf(1, 3)
  const samples = Array.from({ length: TICKS }, (_, i) => sampleOf(routes, 50 + ((i * 37) % 100)))
  const { learner } = createLearner({ name, options: {} })
  return { name: `tick of ${name}`, run: (turn) => learner.update(samples[turn % TICKS]!) }
}

function sampleOf(routes: ReturnType<typeof routesOf>, requests: number): Sample {
  return buildSample({
    setup: coordinatorSetup(routes, START_MS),
    routes: reportOf(routes, { requests }).routes,
    lengthMs: 1000,
    targetOf: ({ sla }) => sla.targets[0]!.targetMs,
    capacity: [],
  })
}

function allocating(classes: number): Task {
  const demand = {
    limit: classes * 5,
    order: 'value',
    classes: Array.from({ length: classes }, (_, i) => ({
      key: `route/class-${i}`,
      value: (i * 7) % classes,
      guaranteed: 1,
      arrivals: 10,
      cost: 1,
    })),
  } as const
  return { name: `allocate, ${classes} classes`, run: () => allocate(demand) }
}
