import fc from 'fast-check'

/** Inputs per parser. Together at least 100,000: test/fuzz/inputs.test.ts adds them up. */
export const FUZZ_INPUTS = {
  url: 12_000,
  'path-readings': 10_000,
  'query-parameter': 4_000,
  'cookie-header': 8_000,
  session: 6_000,
  retry: 5_000,
  ticket: 5_000,
  pass: 5_000,
  'admin-cookie': 5_000,
  'access-token': 2_000,
  accept: 6_000,
  feedback: 6_000,
  'signed-report': 3_000,
  'verdict-id': 3_000,
  'plan-cache': 3_000,
  'admin-bodies': 5_000,
  'admin-queries': 3_000,
  config: 3_000,
  'server-timing': 5_000,
  'load-report': 5_000,
  'origin-commands': 3_000,
  'cache-control': 3_000,
  'access-log': 6_000,
  'log-import': 4_000,
  'ip-range': 8_000,
} as const

export type FuzzTarget = keyof typeof FUZZ_INPUTS

/** `FUZZ_TIMES=20 npm run test:fuzz` looks longer. */
const TIMES = Number(process.env.FUZZ_TIMES ?? 1)

/** One input may take this long, also on a busy machine. A parser of quadratic time takes seconds for the longest ones. */
export const SLOWEST_MS = 250

/**
 * Gives a parser as many inputs as the table says, and prints how many and in what time. `found` are inputs that broke a
 * parser once. They are tried first.
 */
export async function fuzz<Input>(
  target: FuzzTarget,
  input: fc.Arbitrary<Input>,
  check: (input: Input) => void | Promise<void>,
  found: readonly Input[] = [],
): Promise<void> {
  const startedMs = performance.now()
  const inputs = FUZZ_INPUTS[target] * TIMES + found.length
  await fc.assert(
    fc.asyncProperty(input, async (one) => check(one)),
    {
      numRuns: inputs,
      examples: found.map((one) => [one] as [Input]),
    },
  )
  const ms = Math.round(performance.now() - startedMs)
  console.info(`fuzz ${target}: ${inputs} inputs in ${ms} ms`)
}

/** Texts made of the pieces that matter to a parser, with anything between them. */
export const textOf = (...pieces: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...pieces) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
      ),
      { maxLength: 24, size: 'max' },
    )
    .map((parts) => parts.join(''))

/** Names that an object inherits, and other keys that often break things. */
const HOSTILE_KEYS = ['__proto__', 'constructor', 'toString', 'valueOf', 'length', '', '0']

/** Any JSON, with hostile keys, lone surrogates and numbers out of range. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((again) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(null, true, false, 0, -1, 1e308, -0, 0.5, 1e21, Number.MAX_SAFE_INTEGER),
    fc.array(again('value'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.constantFrom(...HOSTILE_KEYS), fc.string({ maxLength: 4 })),
          again('value'),
        ),
        { maxLength: 4 },
      )
      .map(Object.fromEntries),
  ),
})).value

/** The good value with one place in it replaced, removed or added. */
export function mutated(good: unknown, choices: readonly number[], value: unknown): unknown {
  const copy: unknown = structuredClone(good)
  let at = copy
  for (const [depth, choice] of choices.entries()) {
    if (typeof at !== 'object' || at === null) return copy
    const keys = [...Object.keys(at), ...HOSTILE_KEYS]
    const key = keys[choice % keys.length]!
    const inner: unknown = Reflect.get(at, key)
    if (depth < choices.length - 1 && typeof inner === 'object' && Object.hasOwn(at, key)) {
      at = inner
      continue
    }
    if (Array.isArray(at) && key === 'length') return copy
    Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true })
    return copy
  }
  return copy
}

export const nearly = (good: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 5 }), anyJson)
    .map(([choices, value]) => mutated(good, choices, value))

/** A signed text with something done to it: cut, longer, a letter changed, or a part exchanged. */
export function altered(
  signed: string,
  how: number,
  at: number,
  letter: string,
  other: string,
): string {
  const place = at % signed.length
  switch (how % 6) {
    case 0:
      return signed.slice(0, place)
    case 1:
      return signed.slice(0, place) + letter + signed.slice(place)
    case 2:
      return signed.slice(0, place) + letter + signed.slice(place + 1)
    case 3:
      return `${other.slice(0, other.lastIndexOf('.'))}${signed.slice(signed.lastIndexOf('.'))}`
    case 4:
      return signed.slice(place) + signed.slice(0, place)
    default:
      return signed.repeat(1 + (at % 40))
  }
}

export const alteration = fc.tuple(fc.nat(), fc.nat(), fc.string({ maxLength: 3 }))
