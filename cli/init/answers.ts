import { matchComplaint } from '../../src/config/schema/patterns.ts'
import { originComplaint } from '../../src/config/schema/text-formats.ts'

/** The five questions of `tidegate init`. Each has a flag, a default and a check of its answer. */

export interface Answers {
  readonly name: string
  readonly origin: string
  readonly match: string
  readonly targetMs: string
  readonly mode: string
}

export interface Question {
  readonly key: keyof Answers
  /** The flag that answers it. */
  readonly flag: string
  readonly text: string
  /** null: there is no default. */
  standard(folderName: string): string | null
  /** null: the answer is right. Otherwise what to write. */
  check(answer: string): string | null
}

const MODES = ['observe', 'enforce']

export const QUESTIONS: readonly Question[] = [
  {
    key: 'origin',
    flag: 'origin',
    text: 'Which server shall be protected? (URL)',
    standard: () => null,
    check: (answer) => textOf(originComplaint(answer)),
  },
  {
    key: 'match',
    flag: 'match',
    text: 'Which requests? (host and path, for example shop.example.com/*)',
    standard: () => '/*',
    check: (answer) => textOf(matchComplaint(answer)),
  },
  {
    key: 'targetMs',
    flag: 'target-ms',
    text: 'Within how many milliseconds shall 95 of 100 answers come?',
    standard: () => '1000',
    check: (answer) =>
      Number(answer) >= 20 && Number(answer) <= 120_000
        ? null
        : 'Write a number of milliseconds from 20 to 120000, for example 800.',
  },
  {
    key: 'mode',
    flag: 'mode',
    text: 'Begin with "observe" (nothing is refused, you see what would happen) or "enforce"?',
    standard: () => 'observe',
    check: (answer) => (MODES.includes(answer) ? null : 'Write "observe" or "enforce".'),
  },
  {
    key: 'name',
    flag: 'name',
    text: 'What shall the Worker be called?',
    standard: (folderName) => slug(folderName),
    check: (answer) =>
      /^[a-z0-9][a-z0-9-]{0,53}$/.test(answer)
        ? null
        : 'Write 1 to 54 small letters, digits and dashes, for example "shop-gate".',
  },
]

const textOf = (complaint: { readonly remedy: string } | null): string | null =>
  complaint?.remedy ?? null

function slug(name: string): string {
  const letters = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return letters.replaceAll(/^-|-$/g, '').slice(0, 54) || 'gate'
}
