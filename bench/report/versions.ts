import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { workerdVersion } from '../../tools/workerd/run.ts'
import { nginxVersion } from '../edge/origin.ts'
import { findLoader } from '../load/slicer.ts'

/** The versions that the figures depend on. */
export async function readVersions(): Promise<Readonly<Record<string, string>>> {
  const nginx = await nginxVersion()
  return {
    workerd: workerdVersion(),
    node: process.version.slice(1),
    hono: versionOf('hono'),
    'hono-rate-limiter': versionOf('hono-rate-limiter'),
    miniflare: versionOf('miniflare'),
    ...(nginx === null ? {} : { nginx }),
    load: await findLoader(),
    cores: String(availableParallelism()),
  }
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
