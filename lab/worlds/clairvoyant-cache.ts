import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clairvoyants } from './clairvoyants.ts'
import type { WorldSpec } from './spec.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What a clairvoyant's result depends on. The edge, the learners and the rivals are no part of it. */
const FOLDERS = ['engine', 'clients', 'origins', 'gate', 'worlds', 'tournament']
/** Files of these folders that only say or show something. */
const IGNORED =
  /^(clairvoyant-cache|kinds|line|looks|policies|result|run|sensitivity|texts|.*-contests)\.ts$/

/**
 * The clairvoyants of worlds are the same from run to run, and finding them takes longer than a policy's
 * run. They are kept in a folder named after the sources that they come from: a change there starts anew.
 */
export class ClairvoyantCache {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** `sources`: the folder of the lab. */
  static async open(
    folder: string = join(ROOT, '.tidegate', 'lab'),
    sources: string = join(ROOT, 'lab'),
  ): Promise<ClairvoyantCache> {
    const own = join(folder, `worlds-${await hashOf(sources)}`)
    await mkdir(own, { recursive: true })
    return new ClairvoyantCache(own)
  }

  async read(world: WorldSpec): Promise<Clairvoyants | undefined> {
    try {
      return JSON.parse(await readFile(this.#fileOf(world), 'utf8')) as Clairvoyants
    } catch {
      return undefined
    }
  }

  async write(world: WorldSpec, clairvoyants: Clairvoyants): Promise<void> {
    await writeFile(this.#fileOf(world), JSON.stringify(clairvoyants))
  }

  #fileOf({ name }: WorldSpec): string {
    return join(this.#folder, `${name}.json`)
  }
}

async function hashOf(sources: string): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of FOLDERS) {
    const path = join(sources, folder)
    const names = (await readdir(path)).filter((name) => name.endsWith('.ts')).sort()
    for (const name of names) {
      if (!IGNORED.test(name)) hash.update(await readFile(join(path, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}
