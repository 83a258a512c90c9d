import { describe, it } from 'vitest'
import {
  CHECKING_BUDGET_BYTES,
  checkingBundle,
  EDGE_BUDGET_BYTES,
  edgeBundle,
  MOST_EDGE_PACKAGES,
  packagesIn,
  partOf,
  sizeOf,
  WHOLE_BUDGET_BYTES,
  wholeBundle,
} from '../../bench/bundle/sizes.ts'
import type { Bundle } from '../../bench/runtime/bundle.ts'

/** The files of which something is in the bundle. */
function carriedBy({ metafile }: Bundle): readonly string[] {
  return Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
}

describe('what an isolate loads to answer requests', () => {
  for (const [what, build, budget] of [
    ['is under 60 KB gzipped', edgeBundle, EDGE_BUDGET_BYTES],
    ['is under 90 KB where it checks its configuration', checkingBundle, CHECKING_BUDGET_BYTES],
  ] as const)
    it(what, async ({ expect }) => {
      const { gzipBytes, parts } = sizeOf(await build())
      const room = parts.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')
      expect(gzipBytes, `what takes the room: ${room}`).toBeLessThan(budget)
    })

  it('has the code of one learner only: aimd, which an isolate falls back on', async ({
    expect,
  }) => {
    for (const bundle of [await edgeBundle(), await checkingBundle()]) {
      const learners = carriedBy(bundle)
        .map((path) => /^src\/learners\/([\w-]+)\/(?!options\.ts$)/.exec(path)?.[1])
        .filter((name) => name !== undefined)
      expect(new Set(learners)).toEqual(new Set(['aimd']))
    }
  })

  it('has none of the rules for configurations in it: what is deployed was checked before', async ({
    expect,
  }) => {
    const edge = carriedBy(await edgeBundle())
    expect(edge.filter((path) => /valibot|src\/config\/.*schema/.test(path))).toEqual([])
    // The admin app checks what operators send.
    const whole = carriedBy(await wholeBundle())
    expect(whole.filter((path) => /src\/config\/.*schema/.test(path))).toEqual([])
  })

  it('has at most three packages in it, and no other than the known ones', async ({ expect }) => {
    const bundles = [await edgeBundle(), await checkingBundle(), await wholeBundle()]
    const packages = [...new Set(bundles.flatMap(packagesIn))].sort()
    expect(packages).toEqual(['@noble/hashes', 'hono', 'valibot'])
    expect(packages.length).toBeLessThanOrEqual(MOST_EDGE_PACKAGES)
    expect(packagesIn(bundles[0]!)).not.toContain('valibot')
  })

  it('is under 250 KB gzipped with the admin app and the Durable Objects', async ({ expect }) => {
    expect(sizeOf(await wholeBundle()).gzipBytes).toBeLessThan(WHOLE_BUDGET_BYTES)
  })
})

describe('a part of the bundle', () => {
  it('is a folder of ours, or a package', ({ expect }) => {
    expect(partOf('src/gate/gate.ts')).toBe('src/gate')
    expect(partOf('src/learners/soc-lqr/steer.ts')).toBe('src/learners')
    expect(partOf('src/protocol/plan.ts')).toBe('src/protocol')
    expect(partOf('tidegate.config.ts')).toBe('tidegate.config.ts')
    expect(partOf('node_modules/hono/dist/hono.js')).toBe('hono')
    expect(partOf('node_modules/@hono/node-server/dist/index.js')).toBe('@hono/node-server')
  })
})
