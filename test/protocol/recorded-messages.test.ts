import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import { FEEDBACK_VERSION, type Feedback } from '../../src/protocol/feedback.ts'
import { PLAN_VERSION } from '../../src/protocol/plan.ts'
import { CLASS_FIELDS, FIELDS, readFeedback } from '../../src/protocol/read-feedback.ts'
import { readPlan } from '../../src/protocol/read-plan.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

interface Recorded {
  readonly isolates: readonly Feedback[]
  readonly relays: readonly Feedback[]
  readonly answers: readonly ReportAnswer[]
  readonly state: { readonly version: number; readonly decision: { readonly limit: number } }
}

const FIXTURES = new URL('../fixtures/', import.meta.url)
const FILES = readdirSync(FIXTURES).filter((name) => name.startsWith('messages-'))
const recordedIn = (file: string): Recorded =>
  JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8'))

const offered = (feedback: Feedback | null) => feedback?.routes.shop?.classes.default?.offered

/** As the next version may write it: with fields that this one does not know. */
function newer(feedback: Feedback): unknown {
  const { shop } = feedback.routes
  const klass = { ...shop!.classes.default!, unheardOf: 7 }
  return {
    ...feedback,
    version: FEEDBACK_VERSION + 1,
    unheardOf: { a: 1 },
    routes: { shop: { ...shop, unheardOf: [1], classes: { default: klass } } },
  }
}

describe.for(FILES)('what %s has recorded', (file) => {
  const { isolates, relays, answers, state } = recordedIn(file)

  it('are reports that are taken whole', ({ expect }) => {
    for (const feedback of [...isolates, ...relays])
      expect(readFeedback(feedback)).toEqual({ ...feedback, version: FEEDBACK_VERSION })
  })

  it('are plans that are followed', ({ expect }) => {
    expect(answers.length).toBeGreaterThan(0)
    for (const { plan } of answers) expect(readPlan(plan)).toEqual(plan)
  })

  it('drives a coordinator: nothing that was counted is lost', ({ expect }) => {
    const core = new CoordinatorCore()
    for (const feedback of relays) core.handle(feedback, feedback.toMs)
    expect(core.reports).toEqual({ taken: relays.length, repeated: 0, refused: 0 })
    expect(core.plan?.drawLimit).toBe(answers.at(-1)!.plan!.drawLimit)
  })

  it('is a state from which a coordinator goes on', ({ expect }) => {
    const core = new CoordinatorCore(state)
    expect(core.warning).toBeNull()
    expect(core.plan).toMatchObject({ seq: answers.at(-1)!.plan!.seq })
    expect(core.state?.decision.limit).toBe(state.decision.limit)
  })
})

describe('the fields of a report', () => {
  it('are those of its version: whoever adds one raises the version', ({ expect }) => {
    // An object of the version before reads its own version strictly, and would refuse the whole report.
    expect([FEEDBACK_VERSION, ...FIELDS].join(' ')).toBe(
      '3 origin sender seq fromMs toMs planIssuedAtMs asks confirms wants wantsFor isolates relays servers commands tiers',
    )
    expect([FEEDBACK_VERSION, ...CLASS_FIELDS].join(' ')).toBe(
      '3 admits refusals queued places fresh degrades redirects extraCost latency',
    )
  })
})

describe('a message of the next version', () => {
  const { isolates, answers } = recordedIn(`messages-${FEEDBACK_VERSION}.${PLAN_VERSION}.json`)

  it('is read as far as it is known, and its counts are not lost', ({ expect }) => {
    for (const feedback of isolates) {
      expect(readFeedback(newer(feedback))).toEqual(feedback)
    }
  })

  it('keeps its counts if its setup is not understood', ({ expect }) => {
    const setup = { ...setupOf(), learner: { name: 'not yet invented', options: {} } }
    const read = readFeedback({ ...isolates[0], version: FEEDBACK_VERSION + 1, setup })
    expect(offered(read)).toBe(offered(isolates[0]!))
    expect(read).not.toHaveProperty('setup')
  })

  it('is followed if it is a plan that has all that draws need', ({ expect }) => {
    const plan = answers[0]!.plan!
    const next = { ...plan, version: PLAN_VERSION + 1, unheardOf: 1 } as never
    expect(readPlan(next)).toMatchObject({ ...plan, version: PLAN_VERSION })
    expect(readPlan({ ...plan, version: PLAN_VERSION + 1, drawLimit: 'much' } as never)).toBeNull()
    expect(readPlan({ ...plan, version: PLAN_VERSION + 2 } as never)).toBeNull()
  })

  it('is not valid if what is known of it is not', ({ expect }) => {
    const next = { ...isolates[0], version: FEEDBACK_VERSION + 1 }
    for (const bad of [
      { ...next, seq: -1 },
      { ...next, routes: { shop: 7 } },
      { ...next, routes: { shop: { ages: [], classes: { default: { offered: -1 } } } } },
      { ...next, version: FEEDBACK_VERSION + 2 },
      { version: FEEDBACK_VERSION + 1 },
    ])
      expect(readFeedback(bad)).toBeNull()
  })
})

describe('a message of the version before', () => {
  it('counts 0 for what its sender did not know', ({ expect }) => {
    const feedback = feedbackOf({ shop: { default: { offered: 5 } } })
    const { late, ...klass } = feedback.routes.shop!.classes.default!
    const before = {
      ...feedback,
      version: FEEDBACK_VERSION - 1,
      routes: { shop: { ages: [], classes: { default: klass } } },
    }
    expect(readFeedback(before)).toEqual(feedback)
  })
})

describe('a deployment that is rolled back', () => {
  const { state } = recordedIn(`messages-${FEEDBACK_VERSION}.${PLAN_VERSION}.json`)

  it('goes on from the state of the next version', ({ expect }) => {
    const core = new CoordinatorCore({ ...state, version: state.version + 1, unheardOf: [1] })
    expect(core.warning).toBeNull()
    expect(core.state).toMatchObject({ version: state.version, decision: state.decision })
    expect(core.state).not.toHaveProperty('unheardOf')
  })

  it('starts from nothing, with a warning, if the state is of a later one', ({ expect }) => {
    const core = new CoordinatorCore({ ...state, version: state.version + 2 })
    expect(core.warning).toContain('version')
    expect(core.state).toBeNull()
  })
})
