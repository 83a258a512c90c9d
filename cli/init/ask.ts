import { createInterface } from 'node:readline/promises'
import { UsageError } from '../command.ts'
import { type Answers, QUESTIONS, type Question } from './answers.ts'

interface AskOptions {
  readonly given: Partial<Record<keyof Answers, string>>
  readonly folderName: string
  /** Ask nothing: take the defaults. */
  readonly takesDefaults: boolean
}

/** Answers from the flags. What is missing is asked for if somebody can answer; otherwise it is the default. */
export async function askAll({ given, folderName, takesDefaults }: AskOptions): Promise<Answers> {
  const wrong = QUESTIONS.flatMap(({ key, flag, check }) => {
    const remedy = given[key] === undefined ? null : check(given[key])
    return remedy === null ? [] : [`--${flag}: got "${given[key]}". ${remedy}`]
  })
  if (wrong.length > 0) throw new UsageError(wrong.join('\n'))
  const canAsk = !takesDefaults && process.stdin.isTTY === true
  const answers: Record<string, string> = {}
  const asking = canAsk ? createInterface(process.stdin, process.stderr) : null
  try {
    for (const question of QUESTIONS) {
      const standard = question.standard(folderName)
      const known = given[question.key] ?? (canAsk ? undefined : standard)
      if (known === null)
        throw new UsageError(
          `--${question.flag}: this is needed. Write for example --${question.flag} https://origin.example.com.`,
        )
      answers[question.key] =
        known ?? (await ask(question, standard, (text) => asking!.question(text)))
    }
  } finally {
    asking?.close()
  }
  return answers as unknown as Answers
}

/** Asks until the answer is right. */
async function ask(
  { text, check }: Question,
  standard: string | null,
  question: (text: string) => Promise<string>,
): Promise<string> {
  const shown = standard === null ? `${text} ` : `${text} [${standard}] `
  for (;;) {
    const written = (await question(shown)).trim()
    const answer = written === '' && standard !== null ? standard : written
    const remedy = check(answer)
    if (remedy === null) return answer
    process.stderr.write(`  ${remedy}\n`)
  }
}
