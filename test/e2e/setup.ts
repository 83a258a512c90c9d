import { access } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ENTRY = fileURLToPath(new URL('../../src/entry/deployed-worker.ts', import.meta.url))

/** Runs once before all end-to-end tests. They bundle the Worker from this file, so it must exist. */
export async function setup(): Promise<void> {
  await access(ENTRY)
}
