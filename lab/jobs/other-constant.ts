import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** A named number in one of a learner's files. */
export interface Constant {
  /** `capacity.ts` */
  readonly file: string
  readonly name: string
  readonly value: number
}

const LEARNER = new URL('../../src/learners/soc-lqr/', import.meta.url)
const WRITTEN = /^(?:export )?const ([A-Z][A-Z0-9_]*) = ([0-9][0-9_.e-]*)(?: \/ ([0-9]+))?$/gm

/** All named numbers of soc-lqr, as its files have them: none can be left out of a list. */
export function constantsOfLearner(): readonly Constant[] {
  const files = readdirSync(LEARNER).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) => constantsIn(file, readFileSync(new URL(file, LEARNER), 'utf8')))
}

export function constantsIn(file: string, source: string): readonly Constant[] {
  return [...source.matchAll(WRITTEN)].map(([, name, above, below = '1']) => {
    return { file, name: name!, value: Number(above!.replaceAll('_', '')) / Number(below) }
  })
}

/** The same file, with another value of the constant. */
export function withConstant(source: string, { file, name, value }: Constant): string {
  const replaced = source.replace(WRITTEN, (line, found: string) =>
    found === name ? `${line.slice(0, line.indexOf(' = '))} = ${value}` : line,
  )
  if (replaced === source) throw new RangeError(`There is no number "${name}" to change in ${file}`)
  return replaced
}

/** From now on this thread loads the learner with another value of one constant. */
export function loadWithConstant(constant: Constant): void {
  const changed = new URL(constant.file, LEARNER).href
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (url !== changed) return loaded
      return { ...loaded, source: withConstant(String(loaded.source), constant) }
    },
  })
}
