import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ClairvoyantCache } from '../../../lab/worlds/clairvoyant-cache.ts'
import type { Clairvoyants } from '../../../lab/worlds/clairvoyants.ts'
import { plainWorld } from '../../support/lab-world.ts'

const reached = { inSlaValue: 100, windows: 4, windowsMissed: 1 }
const FOUND: Clairvoyants = {
  best: { loads: [[2, 8.5]], reserve: 0.25, guard: 0.6 },
  constant: reached,
  varying: { ...reached, factors: [1, 1.1, 1, 1, 1] },
}

let folder: string
let sources: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-clairvoyants-'))
  sources = join(folder, 'sources')
  await cp('lab', sources, { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

const opened = () => ClairvoyantCache.open(join(folder, 'stored'), sources)

describe('stored clairvoyants', () => {
  it('are found again for the same world, and for no other', async ({ expect }) => {
    const cache = await opened()
    expect(await cache.read(plainWorld())).toBeUndefined()
    await cache.write(plainWorld(), FOUND)
    expect(await (await opened()).read(plainWorld())).toEqual(FOUND)
    expect(await cache.read(plainWorld({ name: '1.1' }))).toBeUndefined()
  })

  it('are looked for anew when what they come from has changed, and not for another text', async ({
    expect,
  }) => {
    await (await opened()).write(plainWorld(), FOUND)
    const found = async () => (await (await opened()).read(plainWorld())) !== undefined
    await writeFile(join(sources, 'worlds/texts.ts'), '// other words')
    await writeFile(join(sources, 'edge/edge.ts'), '// another edge')
    expect(await found()).toBe(true)
    for (const file of ['worlds/draw-world.ts', 'origins/sharing.ts', 'gate/best-load.ts']) {
      await writeFile(join(sources, file), '// another law')
      expect(await found(), file).toBe(false)
      await (await opened()).write(plainWorld(), FOUND)
    }
  })
})
