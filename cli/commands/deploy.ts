import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathOf } from '../../tools/packages.ts'
import { CliError, command, EXIT } from '../command.ts'
import { NAMES } from '../init/files.ts'
import { check } from './check.ts'

export default command({
  description: 'Check the configuration and deploy the Worker with wrangler',
  examples: [
    { line: 'deploy --dry-run', text: 'bundles everything and uploads nothing' },
    { line: 'deploy', text: 'checks, then deploys' },
  ],
  args: {
    config: {
      type: 'string',
      description: 'Configuration file',
      valueHint: 'FILE',
      default: NAMES.config,
    },
    wrangler: {
      type: 'string',
      description: `wrangler's configuration file (${NAMES.wrangler(true)} if it is there)`,
      valueHint: 'FILE',
    },
    'dry-run': { type: 'boolean', description: 'Upload nothing', default: false },
  },
  async run(args, output) {
    const isDryRun = args['dry-run']
    const checked = await check(args.config, { middleware: false, forDeployment: true })
    if (checked.remarks && !args.json) output.warn(`${checked.remarks}\n\n`)
    const exitCode = await wrangler(args.wrangler ?? ownFile(), isDryRun, args.json)
    const json = { checked: checked.json, dryRun: isDryRun, wranglerExitCode: exitCode }
    if (exitCode !== 0)
      throw new CliError(
        `wrangler ended with ${exitCode}: see its output above.`,
        EXIT.failed,
        json,
      )
    return { json, text: isDryRun ? 'Nothing was uploaded.' : AFTERWARDS }
  },
})

const AFTERWARDS = `Deployed. The first time, set the secrets: npx wrangler secret put TIDEGATE_SECRET, and TIDEGATE_ADMIN_TOKEN.
Then see it: npx tidegate status --url https://YOUR-GATE --token …`

const ownFile = (): string | null =>
  existsSync(NAMES.wrangler(true)) ? NAMES.wrangler(true) : null

async function wrangler(file: string | null, isDryRun: boolean, isQuiet: boolean): Promise<number> {
  const manifest = pathOf('wrangler/package.json')
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { wrangler: string } }
  const args = [
    'deploy',
    ...(file === null ? [] : ['--config', file]),
    ...(isDryRun ? ['--dry-run', '--outdir', '.wrangler/dry-run'] : []),
  ]
  // With --json the standard output belongs to the result.
  const child = spawn(process.execPath, [join(dirname(manifest), bin.wrangler), ...args], {
    stdio: ['inherit', isQuiet ? 2 : 'inherit', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: process.env.WRANGLER_SEND_METRICS ?? 'false' },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? EXIT.failed
}
