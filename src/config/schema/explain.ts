import type * as v from 'valibot'
import type { Fault } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'

/** What a value should have been, and what to write instead. */
export interface Complaint {
  readonly expected: string
  readonly remedy: string
  /** Shown instead of the value, where the value must not be shown. */
  readonly found?: string
}

export const complaint = (expected: string, remedy: string): Complaint => ({ expected, remedy })

type Issue = v.BaseIssue<unknown>

/** A message of valibot is a plain string. The parts of our error texts are kept beside it, by issue. */
const complaints = new WeakMap<Issue, Complaint>()

/** The message of a schema or an action; the complaint may depend on the issue. */
export function says(complaint: Complaint | ((issue: Issue) => Complaint)) {
  return (issue: Issue): string => {
    const about = typeof complaint === 'function' ? complaint(issue) : complaint
    complaints.set(issue, about)
    return `expected ${about.expected}`
  }
}

export function complaintOf(issue: Issue): Complaint {
  return complaints.get(issue) ?? { expected: issue.message, remedy: 'Correct the value.' }
}

export function faultsOf(issues: readonly Issue[] = []): readonly Fault[] {
  return issues.map((issue) => ({
    path: (issue.path ?? []).map(({ key }) => key as string | number),
    found: found(issue.input),
    ...complaintOf(issue),
  }))
}
