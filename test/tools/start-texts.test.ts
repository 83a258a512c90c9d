import { describe, it } from 'vitest'
import { readOptions } from '../../tools/flood/options.ts'
import { demoPortTaken, gatePortTaken, greeting } from '../../tools/start-texts.ts'

const DEMO = { url: 'http://127.0.0.1:8788', capacityPerSecond: 100 }
const gateAt = (url: string) => ({ url, adminToken: 'secret' })

/** The options of the flood that the greeting suggests. */
function proposed(text: string) {
  const words = text.match(/npm run flood -- (.*?) {4}/)![1]!.split(' ')
  return readOptions(words)
}

describe('the greeting of npm start', () => {
  it.for(['http://127.0.0.1:8787', 'http://127.0.0.1:8790'])(
    'suggests a flood of the started gate: %s',
    (url, { expect }) => {
      expect(proposed(greeting(gateAt(url), DEMO, 1))).toMatchObject({
        kind: 'run',
        options: { target: url, origin: DEMO.url, compare: true },
      })
      expect(proposed(greeting(gateAt(url), null, 2))).toMatchObject({
        kind: 'run',
        options: { target: url, rate: 100, compare: false },
      })
    },
  )

  it("names no target if the flood's default fits", ({ expect }) => {
    const text = greeting(gateAt('http://127.0.0.1:8787'), DEMO, 1)
    expect(text).toContain('npm run flood -- --compare  ')
    expect(text).toContain('(1 route, in workerd)')
  })
})

describe('a port in use', () => {
  it('of the gate: --port moves it', ({ expect }) => {
    expect(gatePortTaken(8790)).toBe(
      'Port 8790 is in use. Stop the program that listens there, or choose another port with --port.',
    )
  })

  it('of the demo origin: --port does not move it and is not suggested', ({ expect }) => {
    expect(demoPortTaken()).toContain(
      'Port 8788 is in use, but the configuration expects the demo origin there',
    )
    expect(demoPortTaken()).toContain('--origin URL')
    expect(demoPortTaken()).not.toContain('--port')
  })
})
