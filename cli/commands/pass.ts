import { mintPass, type PassOptions } from '../../src/entry/mint-pass.ts'
import { command, UsageError } from '../command.ts'

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export default command({
  description: 'Make a signed pass for a visitor',
  examples: [
    { line: 'pass shop --class members --key 4711 --for 7d', text: 'for one member' },
    { line: 'pass shop --skip --once --for 1h', text: 'for one visitor, past the queue' },
  ],
  args: {
    route: { type: 'positional', description: 'Name of the route', required: true },
    class: {
      type: 'string',
      description: 'Class of the visitor; without it the class rules decide',
    },
    key: {
      type: 'string',
      description: 'Whose pass it is: each key holds one place or session at a time',
    },
    for: {
      type: 'string',
      description: 'How long it is valid: 90s, 15m, 12h or 7d',
      default: '1d',
    },
    once: { type: 'boolean', description: 'For the first visitor who presents it', default: false },
    skip: { type: 'boolean', description: 'Admitted without waiting', default: false },
  },
  async run({ route, class: className, key, for: length, once, skip }) {
    const secret = process.env.TIDEGATE_SECRET
    if (!secret)
      throw new UsageError(
        'pass: set TIDEGATE_SECRET in the environment to the secret of the gate.',
      )
    const expires = new Date(Date.now() + lengthMs(length))
    const pass = minted({
      secret,
      route,
      expires,
      once,
      skip,
      ...(className ? { class: className } : {}),
      ...(key ? { key } : {}),
    })
    return {
      text: pass,
      json: {
        pass,
        route,
        class: className ?? null,
        key: key ?? null,
        expires: expires.toISOString(),
        once,
        skip,
      },
      remarks: `Valid until ${expires.toISOString()}. Add it to an address as ?tidegate-pass=${encodeURIComponent(pass)}`,
    }
  },
})

/** What `mintPass` refuses is a mistake in the words or in the environment. */
function minted(options: PassOptions): string {
  try {
    return mintPass(options)
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/^mintPass:/, 'pass:'))
  }
}

function lengthMs(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count === undefined || Number(count) === 0)
    throw new UsageError(
      `pass: --for: expected a time such as 90s, 15m, 12h or 7d, got ${JSON.stringify(text)}.`,
    )
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]
}
