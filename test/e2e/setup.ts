import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ENTRY = fileURLToPath(new URL('../../src/entry/deployed-worker.ts', import.meta.url))

/** Once before all end-to-end tests. They bundle the Worker from its source, so it must be there. */
export async function setup(): Promise<void> {
  await access(ENTRY)
}
