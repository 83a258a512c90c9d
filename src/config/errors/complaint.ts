import type * as v from 'valibot'

export interface Complaint {
  readonly expected: string
  readonly remedy: string
  /** Instead of the value itself, where that must not be shown. */
  readonly found?: string
}

/**
 * A schema's message is not yet a sentence: it carries what was expected, what to write and, where the
 * value itself must not be shown, what to show instead. `problem.ts` makes the sentence.
 */
export const complaintText = ({ expected, remedy, found }: Complaint): string =>
  [expected, remedy, found ?? ''].join('\n')

export function readComplaint(message: string): Complaint {
  const [expected = '', remedy = '', found = ''] = message.split('\n')
  return found === '' ? { expected, remedy } : { expected, remedy, found }
}

/** The message of a schema or an action: the remedy may depend on what came. */
export function says(
  expected: string,
  remedy: string | ((input: unknown) => string),
): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) =>
    complaintText({ expected, remedy: typeof remedy === 'string' ? remedy : remedy(input) })
}
