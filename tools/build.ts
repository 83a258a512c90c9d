import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** `npm run build`: the package that others import, dist/src and dist/durable-objects. */

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = `${root}node_modules/.bin/tsc`

rmSync(`${root}dist`, { recursive: true, force: true })
execFileSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
