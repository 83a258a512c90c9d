import { dirname, relative, resolve } from 'node:path'
import type { Config } from '../../src/config/config.ts'
import { REACHABILITY } from '../../src/config/contradictions/reachability.ts'
import { problemsText } from '../../src/config/errors/problem.ts'
import { resolveConfig } from '../../src/config/load.ts'
import { needsTurnstile, TURNSTILE_SECRET } from '../../src/config/secrets.ts'
import { warningsText } from '../../src/config/warnings/warning.ts'
import { configWarnings } from '../../src/config/warnings/warnings.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { summary } from '../../tools/config-summary.ts'
import { loadConfigFile } from '../../tools/load-config.ts'
import { cacheBeforeGate } from '../../tools/workers-cache.ts'
import { CliError, command, EXIT, type Outcome } from '../command.ts'
import { readDevVars } from '../local.ts'

export default command({
  description: 'Check a configuration file: its problems, its warnings, its routes',
  examples: [
    { line: 'check', text: 'checks tidegate.config.ts' },
    { line: 'check shop.json --middleware', text: 'routes need no origin' },
    { line: 'check --for-deployment --json', text: 'for a pipeline' },
  ],
  args: {
    file: {
      type: 'positional',
      description: 'Configuration file, .ts, .js, .mjs or .json',
      valueHint: 'FILE',
      default: 'tidegate.config.ts',
    },
    middleware: {
      type: 'boolean',
      description: 'For the middleware: routes need no origin',
      default: false,
    },
    'for-deployment': {
      type: 'boolean',
      description: 'Report origins that only this machine or its network can reach',
      default: false,
    },
  },
  async run(args) {
    const { file, middleware } = args
    return await check(file, { middleware, forDeployment: args['for-deployment'] })
  },
})

interface CheckOptions {
  readonly middleware: boolean
  readonly forDeployment: boolean
}

export async function check(
  file: string,
  { middleware, forDeployment }: CheckOptions,
): Promise<Outcome> {
  const path = resolve(file)
  const shown = relative('', path) || path
  const resolution = resolveConfig(await loadConfigFile(path), {
    origin: middleware ? 'optional' : 'required',
    learners: LEARNER_OPTIONS,
    ...(forDeployment && { alsoCheck: [REACHABILITY] }),
  })
  if (!resolution.ok) {
    const { problems } = resolution
    const json = { file: shown, ok: false, problems }
    throw new CliError(`${shown}: ${problemsText(problems)}`, EXIT.failed, json)
  }
  const cache = cacheBeforeGate(dirname(path))
  if (cache !== null) {
    const problem = `${cache.file}: ${cache.key}: expected false, got true. Workers Cache would answer before the gate: it knows neither hosts nor cookies, so visitors would get the pages of others. Remove it, or cache behind the gate.`
    throw new CliError(problem, EXIT.failed, { file: shown, ok: false, problems: [problem] })
  }
  const { config } = resolution
  const warnings = configWarnings(config)
  const routes = config.routes.map(({ name, match, mode, classes }) => ({
    name,
    match: `${match.host === '*' ? '' : match.host}${match.path}`,
    mode,
    classes: classes.map((one) => one.name),
  }))
  return {
    text: `${shown}: ok\n\n${summary(config)}`,
    remarks: [warningsText(warnings), missingSecret(config, dirname(path))]
      .filter(Boolean)
      .join('\n'),
    json: { file: shown, ok: true, warnings, routes },
  }
}

/** The secrets of a deployment cannot be seen here, so this is a remark and no problem. */
function missingSecret(config: Config, folder: string): string {
  if (!needsTurnstile(config)) return ''
  if (process.env[TURNSTILE_SECRET] || readDevVars(folder)[TURNSTILE_SECRET]) return ''
  return `waitingRoom.turnstile: ${TURNSTILE_SECRET} is neither in .dev.vars nor in the environment. The gate does not start without it. For a deployment, run "npx wrangler secret put ${TURNSTILE_SECRET}".`
}
