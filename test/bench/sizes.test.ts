import { describe, it } from 'vitest'
import { EDGE_BUDGET_BYTES, edgeBundle, partOf, sizeOf } from '../../bench/bundle/sizes.ts'

describe('what an isolate loads to answer requests', () => {
  it('is under 60 KB gzipped', async ({ expect }) => {
    const { gzipBytes, parts } = sizeOf(await edgeBundle())
    const room = parts.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')
    expect(gzipBytes, `what takes the room: ${room}`).toBeLessThan(EDGE_BUDGET_BYTES)
    expect(EDGE_BUDGET_BYTES).toBe(61_440)
  })

  it('has no learner in it but the one that an isolate falls back on', async ({ expect }) => {
    const { metafile } = await edgeBundle()
    const inputs = Object.values(metafile.outputs).flatMap((output) =>
      Object.entries(output.inputs),
    )
    const carried = inputs
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path)
    const learners = ['aimd', 'lqr', 'soc', 'soc-lqr', 'tbac', 'pac']
    const isCarried = (name: string) => carried.includes(`src/control/learners/${name}.ts`)
    // The options of tbac and pac stand in their files, and are checked everywhere.
    expect(learners.filter(isCarried)).toEqual(['aimd', 'tbac', 'pac'])
  })
})

describe('a part of the bundle', () => {
  it('is a folder of ours, or a package', ({ expect }) => {
    expect(partOf('src/edge/gate.ts')).toBe('src/edge')
    expect(partOf('src/control/learners/soc-lqr/trim.ts')).toBe('src/control')
    expect(partOf('src/plan.ts')).toBe('src')
    expect(partOf('tidegate.config.ts')).toBe('tidegate.config.ts')
    expect(partOf('node_modules/hono/dist/hono.js')).toBe('hono')
    expect(partOf('node_modules/@noble/hashes/hmac.js')).toBe('@noble/hashes')
  })
})
