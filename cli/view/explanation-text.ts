import { percent } from './numbers.ts'

/** What the gate would do with a request, as its API says it. */
export interface ExplanationShape {
  readonly url: string
  readonly method: string
  readonly routesTried: readonly {
    readonly route: string
    readonly match: string
    readonly isMatch: boolean
  }[]
  readonly route: string | null
  readonly mode: string | null
  readonly bypassTried: readonly Tried[]
  readonly classesTried: readonly (Tried & { readonly class: string })[]
  readonly class: string | null
  readonly verdict: {
    readonly verdict: string
    readonly reason: string | null
    readonly chance: number | null
    readonly text: string
  }
}

interface Tried {
  readonly isMatch: boolean
  readonly conditions: readonly {
    readonly key: string
    readonly expected: readonly string[]
    readonly found: string | null
    readonly isMatch: boolean
  }[]
}

export function explanationText(explanation: ExplanationShape): string {
  const { method, url, route, mode, verdict, routesTried, bypassTried, classesTried } = explanation
  const reason = verdict.reason === null ? '' : ` (${verdict.reason})`
  const chance = verdict.chance === null ? '' : `, chance ${percent(verdict.chance)}`
  return [
    `${method} ${url}: ${verdict.verdict}${reason}${chance}`,
    `  ${verdict.text}`,
    '',
    `  route ${route ?? 'none'}${mode === null ? '' : `, mode ${mode}`}, class ${explanation.class ?? 'none'}`,
    '',
    '  Rules tried:',
    ...routesTried.map((one) => `    ${mark(one.isMatch)} route ${one.route}   ${one.match}`),
    ...bypassTried.flatMap((one, i) => [
      `    ${mark(one.isMatch)} bypass ${i + 1}`,
      ...conditions(one),
    ]),
    ...classesTried.flatMap((one) => [
      `    ${mark(one.isMatch)} class ${one.class}`,
      ...conditions(one),
    ]),
  ].join('\n')
}

const mark = (isMatch: boolean): string => (isMatch ? 'yes' : 'no ')

const conditions = ({ conditions }: Tried): readonly string[] =>
  conditions.map(
    ({ key, expected, found, isMatch }) =>
      `          ${mark(isMatch)} ${key}: expected ${expected.join(' or ')}, found ${found ?? 'nothing'}`,
  )
