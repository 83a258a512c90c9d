import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { Signer } from '../../src/lib/signer.ts'
import { readPass } from '../../src/request/pass-token.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
const SECRET = 'a secret of the tests, long enough to be one'
const MEMBER = ['pass', 'shop', '--class', 'members', '--key', '4711', '--for', '7d', '--once']

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const tidegate = (args: readonly string[], secret: string | null = SECRET): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...(secret === null ? {} : { TIDEGATE_SECRET: secret }) }
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

const read = (token: string, secret = SECRET) =>
  readPass(token, new Signer({ current: secret, previous: null }))

describe('tidegate pass', () => {
  it('prints a pass that the gate reads, and how to give it to a visitor', async ({ expect }) => {
    const startMs = Date.now()
    const { code, stdout, stderr } = await tidegate(MEMBER)
    const endMs = Date.now()
    expect(code).toBe(0)
    // The pass alone is on stdout, so that a script can use it.
    const token = stdout.trim()
    const pass = read(token)!
    expect(pass).toMatchObject({
      ...{ route: 'shop', class: 'members', key: '4711', once: true, skip: false },
    })
    const week = 7 * 86_400_000
    expect(pass.expiresAtMs).toBeGreaterThanOrEqual(startMs + week - 1000)
    expect(pass.expiresAtMs).toBeLessThanOrEqual(endMs + week)
    expect(read(token, 'another secret, which is long enough, too')).toBeNull()
    expect(stderr).toContain(`Add it to an address as ?tidegate-pass=${encodeURIComponent(token)}`)
  })

  it('prints JSON', async ({ expect }) => {
    const { code, stdout } = await tidegate(['pass', 'shop', '--skip', '--json'])
    expect(code).toBe(0)
    const { pass, expires, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ route: 'shop', class: null, key: null, once: false, skip: true })
    expect(read(pass)).toMatchObject({ route: 'shop', class: null, key: null, skip: true })
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(86_000_000)
  })

  it.for([
    [['pass', 'shop'], null, 'pass: set TIDEGATE_SECRET in the environment'],
    [['pass', 'shop', '--for', '0d'], SECRET, '--for: expected a time such as 90s, 15m, 12h or 7d'],
    [['pass', 'shop', '--for', 'long'], SECRET, '--for: expected a time such as 90s'],
    [['pass', 'shop', '--keys', '1'], SECRET, 'Did you mean --key?'],
    [['pass', 'shop'], 'short', 'pass: secret: expected at least 32 characters'],
    [['pass', 'shop', '--key', 'k'.repeat(3000)], SECRET, 'pass: key: expected a shorter text'],
    [['pass'], SECRET, '"tidegate pass --help" shows examples.'],
  ] as const)('%j with the secret %j is refused', async ([words, secret, said], { expect }) => {
    const { code, stdout, stderr } = await tidegate(words, secret)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^ +at /m)
  })
})
