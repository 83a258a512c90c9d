import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { Terminal } from '../support/e2e/terminal.ts'
import { STATUS, startFakeGate, TOKEN } from '../support/fake-gate.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

let gate: Awaited<ReturnType<typeof startFakeGate>>
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-cli-'))
  gate = await startFakeGate()
})
afterAll(async () => {
  await gate.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => void gate.asked.splice(0))

const environment = () => ({ TIDEGATE_URL: gate.url, TIDEGATE_ADMIN_TOKEN: TOKEN, USER: 'jane' })

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Through a pipe, as a script runs it. */
function tidegate(args: readonly string[], env: NodeJS.ProcessEnv = environment()): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env } }
    const child = execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code as number), stdout, stderr }),
    )
    child.stdin!.end()
  })
}

const inTerminal = (...args: string[]) =>
  new Terminal(process.execPath, [MAIN, ...args], { cwd: folder, env: environment() })

describe.sequential('through a pipe', () => {
  it('shows all routes, page by page, in text and as JSON', async ({ expect }) => {
    const { code, stdout } = await tidegate(['status'])
    expect(code).toBe(0)
    expect(stdout).toContain('Surge: 10 times the capacity.')
    expect(stdout).toContain('answers p95 640 ms of 1000 ms')
    expect(stdout).toMatch(/visitors +940\/s +92\/s +848\/s/)
    expect(stdout).toContain('limit 50   by Jane, until 2027-01-15T08:10:00.000Z')
    expect(stdout).toContain('api   enforce')
    const json = JSON.parse((await tidegate(['status', 'shop', '--json'])).stdout)
    expect(json).toEqual(STATUS)
  })

  it('acts with --yes, with an end, a note and a name for the audit log', async ({ expect }) => {
    const acted = await tidegate([
      'mode',
      'off',
      'shop',
      '--for',
      '10m',
      '--note',
      'broken',
      '--by',
      'Jane',
      '--yes',
    ])
    expect(acted).toMatchObject({ code: 0, stderr: '' })
    expect(acted.stdout).toContain('Undo it with: tidegate undo e7')
    expect(gate.asked.at(-1)).toEqual({
      method: 'POST',
      path: '/routes/shop/actions',
      body: { action: 'mode', mode: 'off', forS: 600, note: 'broken' },
      operator: 'Jane',
    })
  })

  it.for([
    [['capacity', '4', '8', 'shop'], { action: 'capacity', before: 4, after: 8 }],
    [['set', 'limit', '50', 'shop'], { action: 'limit', limit: 50 }],
    [['set', 'target', '800', 'shop'], { action: 'target', targetMs: 800 }],
    [['set', 'value', 'members=20', 'shop'], { action: 'value', class: 'members', value: 20 }],
    [
      ['set', 'guaranteed', 'members=5', 'shop'],
      { action: 'guaranteed', class: 'members', guaranteed: 5 },
    ],
    [['forget', 'shop'], { action: 'forget' }],
  ] as const)('%j sends the action', async ([words, body], { expect }) => {
    expect((await tidegate([...words, '--yes', '--json'])).code).toBe(0)
    expect(gate.asked.at(-1)).toMatchObject({
      path: '/routes/shop/actions',
      body,
      operator: 'jane',
    })
  })

  it('makes and deletes events of a waiting room', async ({ expect }) => {
    const times = ['--opens', '2036-07-01T10:00', '--zone', 'Europe/Berlin']
    await tidegate(['event', 'set', 'sale', 'shop', ...times, '--yes'])
    expect(gate.asked.at(-1)).toEqual({
      ...{ method: 'PUT', path: '/routes/shop/waiting-room/events/sale', operator: 'jane' },
      body: { opens: '2036-07-01T10:00', zone: 'Europe/Berlin' },
    })
    await tidegate(['event', 'delete', 'sale', 'shop', '--yes'])
    expect(gate.asked.at(-1)).toMatchObject({
      ...{ method: 'DELETE', path: '/routes/shop/waiting-room/events/sale' },
    })
    expect((await tidegate(['event', 'remove', 'sale', 'shop'])).stderr).toContain(
      'event: expected list, set, delete, got "remove".',
    )
  })

  it('undoes an action, and lists what was done', async ({ expect }) => {
    expect((await tidegate(['undo', 'a1', 'shop', '--yes'])).stdout).toBe('Undone.\n')
    expect(gate.asked.at(-1)).toMatchObject({ method: 'DELETE', path: '/routes/shop/actions/a1' })
    expect((await tidegate(['audit', '--limit', '5'])).stdout).toContain('e7  shop  Jane')
    expect(gate.asked.at(-1)).toMatchObject({ path: '/audit?limit=5' })
  })

  it('explains a request with its headers and cookies', async ({ expect }) => {
    const { stdout } = await tidegate([
      ...['explain', '/cart', '--method', 'post', '--header', 'X-Plan: gold', '--header', 'X-A: b'],
      ...['--cookie', 'member=1', '--cookie', 'a=2', '--ip', '203.0.113.7'],
    ])
    expect(gate.asked.at(-1)!.body).toEqual({
      url: `${gate.url}/cart`,
      method: 'POST',
      headers: { 'X-Plan': 'gold', 'X-A': 'b', Cookie: 'member=1; a=2' },
      ip: '203.0.113.7',
    })
    expect(stdout).toContain('POST http://shop.example/cart: draw (share), chance 40 %')
    expect(stdout).toContain('route shop, mode enforce, class members')
    expect(stdout).toContain('yes cookie.member: expected *, found 1')
  })

  it('watches in lines, or in JSON documents', async ({ expect }) => {
    const { stdout } = await tidegate(['watch', 'shop', '--count', '2', '--every', '0.01'])
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(stdout).toContain(
      'shop enforce surge asked 940/s admitted 92/s refused 848/s p95 640 ms limit 95/s',
    )
    const json = await tidegate(['watch', '--count', '1', '--json'])
    expect(JSON.parse(json.stdout).routes).toHaveLength(2)
  })

  it('reports what would have happened, from the history of the gate', async ({ expect }) => {
    const { code, stdout } = await tidegate(['report', 'shop'])
    expect(code).toBe(0)
    expect(gate.asked.at(-1)).toMatchObject({ path: '/routes/shop/history?range=day' })
    expect(stdout).toContain('over the target without the gate   10 min')
    expect(stdout).toMatch(/1970-01-01 00:20 to 00:30 +300\/s visitors, 97\/s admitted/)
    expect(stdout).toContain('120,000 refusals while it observed')
    const { refused } = JSON.parse((await tidegate(['report', 'shop', '--json'])).stdout)
    expect(refused).toBeCloseTo(600 * 203, -2)
  })

  it('reports the same from an access log, before anything is deployed', async ({ expect }) => {
    const line = (at: number, i: number, seconds: number) =>
      `10.0.${i % 250}.${at % 250} - - [${new Date(at * 1000).toUTCString().slice(5, 16).replaceAll(' ', '/')}:${new Date(at * 1000).toISOString().slice(11, 19)} +0000] "GET / HTTP/1.1" 200 5 "-" "M" ${seconds}`
    const lines = Array.from({ length: 600 }, (_, s) =>
      Array.from({ length: s < 300 ? 5 : 20 }, (_, i) =>
        line(1_800_000_000 + s, i, s < 300 ? 0.2 : 4.5),
      ),
    )
    writeFileSync(join(folder, 'access.log'), `${lines.flat().join('\n')}\n`)
    const words = ['report', '--log', 'access.log', '--granularity', 'request', '--capacity', '8']
    const { code, stdout } = await tidegate(words, {})
    expect(code).toBe(0)
    expect(stdout).toContain('requests that came                 7,500')
    expect(stdout).toMatch(/would have been refused +3,600 \(48 %\), in one period/)
    expect(await tidegate(['report', '--log', 'none.log'], {})).toMatchObject({
      code: 1,
      stdout: '',
    })
  })

  it('does nothing that nobody has confirmed', async ({ expect }) => {
    expect(await tidegate(['mode', 'off', 'shop'])).toMatchObject({ code: 2, stdout: '' })
    expect(gate.asked.some(({ method }) => method === 'POST')).toBe(false)
  })

  it.for([
    [['mode', 'of', 'shop', '--yes'], 2, 'Did you mean "off"?'],
    [['mode', 'off', 'shp', '--yes'], 2, 'Did you mean "shop"?'],
    [['mode', 'off', '--yes'], 2, 'Which route? There are: shop, api.'],
    [['mode', 'off', 'shop', '--for', 'long', '--yes'], 2, '--for: expected a time such as 30s'],
    [['mode', 'off', 'shop', 'now', '--yes'], 2, 'now: expected an option.'],
    [['capacity', '4', 'x', '--yes'], 2, 'AFTER: expected a number above 0'],
    [['set', 'limt', '5', '--yes'], 2, 'Did you mean "limit"?'],
    [['set', 'value', '5', '--yes'], 2, 'expected CLASS=NUMBER'],
    [['explain', '/', '--header', 'x'], 2, '--header: expected "Name: value"'],
    [['statsu'], 2, 'Did you mean "status"?'],
    [['status', '--tokn', 'x'], 2, 'Did you mean --token?'],
    [['status', '--token', 'wrong'], 3, 'does not accept the token'],
    [['status', '--url', 'nowhere'], 2, '--url: expected an address'],
    [['status', '--url', 'http://127.0.0.1:1'], 3, 'There is no gate at http://127.0.0.1:1'],
  ] as const)('%j ends with %i', async ([words, code, said], { expect }) => {
    const ended = await tidegate(words)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toContain(said)
  })

  it('says how to give the token if there is none', async ({ expect }) => {
    const { code, stderr } = await tidegate(['status'], { TIDEGATE_URL: gate.url })
    expect(code).toBe(3)
    expect(stderr).toContain('--token, in TIDEGATE_ADMIN_TOKEN or in .dev.vars')
  })

  it('says errors as JSON with --json', async ({ expect }) => {
    const { code, stdout } = await tidegate(['mode', 'of', 'shop', '--yes', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error).toContain('Did you mean "off"?')
  })
})

describe.sequential('in a terminal', () => {
  it('asks before it acts', async ({ expect }) => {
    const no = inTerminal('mode', 'off', 'shop')
    await no.shows('Set shop to off, at http://127.0.0.1')
    no.type('n\n')
    expect(await no.end()).toBe(1)
    expect(no.text).toContain('Nothing was changed.')
    expect(gate.asked.some(({ method }) => method === 'POST')).toBe(false)
    const yes = inTerminal('mode', 'off', 'shop', '--for', '10m')
    await yes.shows('for 10 min')
    yes.type('y\n')
    expect(await yes.end()).toBe(0)
    expect(gate.asked.at(-1)).toMatchObject({ body: { action: 'mode', mode: 'off', forS: 600 } })
  })

  it('watches in a view that q ends, and gives the terminal back', async ({ expect }) => {
    const view = inTerminal('watch', '--every', '0.05')
    await view.shows('q ends')
    await view.shows(/admitted {2}\S{3,}/)
    view.type('q')
    expect(await view.end()).toBe(0)
    expect(view.text.startsWith('\u001b[?1049h')).toBe(true)
    expect(view.text.trimEnd().endsWith('\u001b[?1049l')).toBe(true)
  })
})
