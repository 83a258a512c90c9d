import { describe, it } from 'vitest'
import { readOptions } from '../../tools/flood/options.ts'
import { demoPortTaken, gatePortTaken, greeting } from '../../tools/start-texts.ts'

const DEMO = { url: 'http://127.0.0.1:8788', capacityPerSecond: 100 }
const gateAt = (url: string) => ({ url, adminToken: 'secret' })

/** The flood that the greeting proposes, as the flood understands it. */
function proposed(text: string) {
  const words = text.match(/npm run flood -- (.*?) {4}/)![1]!.split(' ')
  return readOptions(words)
}

describe('the greeting of npm start', () => {
  it.for(['http://127.0.0.1:8787', 'http://127.0.0.1:8790'])(
    'proposes a flood of the gate that was started: %s',
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

  it('names no target where the flood finds it by itself', ({ expect }) => {
    const text = greeting(gateAt('http://127.0.0.1:8787'), DEMO, 1)
    expect(text).toContain('npm run flood -- --compare  ')
    expect(text).toContain('(1 route, in workerd)')
  })
})

describe('a port that is taken', () => {
  it('is the gate’s: --port moves it', ({ expect }) => {
    expect(gatePortTaken(8790)).toBe(
      'Port 8790 is taken. End what listens there, or choose another with --port.',
    )
  })

  it('is the demo origin’s: --port does not move that, and is not proposed', ({ expect }) => {
    expect(demoPortTaken()).toContain('Port 8788 is taken, and the demo origin is to listen there')
    expect(demoPortTaken()).toContain('--origin URL')
    expect(demoPortTaken()).not.toContain('--port')
  })
})
