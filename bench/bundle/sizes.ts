import { gzipSync } from 'node:zlib'
import type { Metafile, Plugin } from 'esbuild'
import { withConfig } from '../../tools/bundle.ts'
import { type Bundle, bundle } from '../runtime/bundle.ts'

export interface BundleSize {
  readonly bytes: number
  readonly gzipBytes: number
  /** Minified bytes by folder or package, largest first. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[]
}

/** Gzipped bytes of what an isolate needs to answer requests. */
export const EDGE_BUDGET_BYTES = 60 * 1024

/** The same where the entry checks its configuration itself: with all rules and the texts of their errors. */
export const CHECKING_BUDGET_BYTES = 90 * 1024

/** Gzipped bytes of everything that is deployed, with the dashboard. Cloudflare allows 3 MB on its free plan. */
export const WHOLE_BUDGET_BYTES = 250 * 1024

/** What answers requests: the deployed Worker without the Durable Objects, the configuration and the admin app. */
export const edgeBundle = (): Promise<Bundle> =>
  bundle('src/entry/stand-alone.ts', {}, [WITHOUT_ADMIN])

/** The same for a user's own entry, which checks its configuration at each start. */
export const checkingBundle = (): Promise<Bundle> =>
  bundle('src/entry/worker.ts', {}, [WITHOUT_ADMIN])

/** Operators use the admin app. The runtime compiles its functions when they are first called. */
const WITHOUT_ADMIN: Plugin = {
  name: 'without-admin',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]admin[\\/]app\.ts$/ }, () => ({
      contents: 'export const adminApp = () => null\nexport const isAdminPath = () => false',
    }))
  },
}

/** The deployed Worker with the Durable Objects. */
export const wholeBundle = (): Promise<Bundle> =>
  bundle('src/entry/deployed-worker.ts', {}, [withConfig(SMALLEST)])

const SMALLEST = { routes: [{ match: '/*', origin: 'https://origin.example.com' }] }

export function sizeOf({ code, metafile }: Bundle): BundleSize {
  return {
    bytes: Buffer.byteLength(code),
    gzipBytes: gzipSync(code, { level: 9 }).length,
    parts: partsOf(metafile),
  }
}

/** The packages of which something is in the bundle, by name. */
export function packagesIn({ metafile }: Bundle): readonly string[] {
  const carried = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && path.includes('node_modules/'))
  return [...new Set(carried.map(([path]) => partOf(path)))].sort()
}

/** No more packages go to the edge than these: the two dependencies that are not for the command line, and `hono`. */
export const MOST_EDGE_PACKAGES = 3

function partsOf({ outputs }: Metafile): BundleSize['parts'] {
  const sums = new Map<string, number>()
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = partOf(path)
      sums.set(name, (sums.get(name) ?? 0) + bytesInOutput)
    }
  return [...sums].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes)
}

/** `src/gate/gate.ts` counts for `src/gate`, `node_modules/hono/dist/hono.js` for `hono`. */
export function partOf(path: string): string {
  const packaged = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)
  if (packaged) return packaged[1]!
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, 2).join('/') || path
}
