import type { Config } from './config.ts'
import { ConfigError, type Problem } from './errors/problem.ts'

/** Secrets come from the environment, never from the configuration. */
interface SigningSecrets {
  /** Signs session cookies and retry cookies. */
  readonly current: string
  /** Also accepted, so that a new secret does not end the sessions. */
  readonly previous: string | null
}

export interface Secrets extends SigningSecrets {
  /** Gives access to `/_tidegate/`. */
  readonly adminToken: string
  /** Gives read-only access; null: there is none. */
  readonly adminReadToken: string | null
  /** Who signs in through Cloudflare Access may do everything; null: not in use. */
  readonly access: AccessSettings | null
}

/** The team and the application of Cloudflare Access that protect `/_tidegate/`. */
export interface AccessSettings {
  /** `https://TEAM.cloudflareaccess.com` */
  readonly team: string
  /** The application's audience tag. */
  readonly audience: string
}

/** The part of the environment that is read. */
export interface SecretsEnv {
  readonly TIDEGATE_SECRET?: unknown
  readonly TIDEGATE_SECRET_PREVIOUS?: unknown
  readonly TIDEGATE_ADMIN_TOKEN?: unknown
  readonly TIDEGATE_ADMIN_READ_TOKEN?: unknown
  readonly TIDEGATE_ACCESS_TEAM?: unknown
  readonly TIDEGATE_ACCESS_AUD?: unknown
  readonly TIDEGATE_TURNSTILE_SECRET?: unknown
}

export const TURNSTILE_SECRET = 'TIDEGATE_TURNSTILE_SECRET'
const LEAST_TURNSTILE_SECRET = 10

/** Does a route have a challenge, whose secret is needed? */
export const needsTurnstile = ({ routes }: Pick<Config, 'routes'>): boolean =>
  routes.some(({ waitingRoom }) => waitingRoom.turnstile !== null)

/** null: no route has Turnstile. Throws a `ConfigError` if one has, and the secret is missing. */
export function readTurnstileSecret(
  env: SecretsEnv,
  config: Pick<Config, 'routes'>,
  place: SecretsPlace = 'worker',
): string | null {
  if (!needsTurnstile(config)) return null
  const { [TURNSTILE_SECRET]: secret } = env
  if (typeof secret === 'string' && secret.length >= LEAST_TURNSTILE_SECRET) return secret
  const where =
    place === 'process'
      ? `set ${TURNSTILE_SECRET} in the environment`
      : `locally, write ${TURNSTILE_SECRET}=… into .dev.vars; for a deployment, run "npx wrangler secret put ${TURNSTILE_SECRET}"`
  const remedy = `It is beside the site key in the Cloudflare dashboard: ${where}. Or remove waitingRoom.turnstile.`
  const expected = 'the secret key of the widget, because a route has waitingRoom.turnstile'
  throw new ConfigError(
    [problem(TURNSTILE_SECRET, expected, sizeOf(secret), remedy)],
    'the secrets',
  )
}

/** Where secrets are set: beside a Worker, or in the environment of a process. Only error texts depend on it. */
export type SecretsPlace = 'worker' | 'process'

const SECRET_LENGTH = 32
const TOKEN_LENGTH = 16

/** Throws a `ConfigError` with every problem. Its text never contains the value of a secret. */
export function readSecrets(env: SecretsEnv, place: SecretsPlace = 'worker'): Secrets {
  const { TIDEGATE_SECRET: current, TIDEGATE_SECRET_PREVIOUS: previous } = env
  const { TIDEGATE_ADMIN_TOKEN: adminToken, TIDEGATE_ADMIN_READ_TOKEN: readToken } = env
  const { problems, access } = accessSettings(env)
  return {
    ...signingSecrets(env, place, [
      ...lengthProblem('TIDEGATE_ADMIN_TOKEN', adminToken, TOKEN_LENGTH, place),
      ...tokenProblem('TIDEGATE_ADMIN_TOKEN', adminToken, [current, previous], place),
      ...(isEmpty(readToken)
        ? []
        : lengthProblem('TIDEGATE_ADMIN_READ_TOKEN', readToken, TOKEN_LENGTH, place)),
      ...tokenProblem(
        'TIDEGATE_ADMIN_READ_TOKEN',
        readToken,
        [current, previous, adminToken],
        place,
      ),
      ...problems,
    ]),
    adminToken: adminToken as string,
    adminReadToken: isEmpty(readToken) ? null : (readToken as string),
    access,
  }
}

const TEAM = /^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+$/

function accessSettings(env: SecretsEnv): {
  readonly problems: readonly Problem[]
  readonly access: AccessSettings | null
} {
  const { TIDEGATE_ACCESS_TEAM: team, TIDEGATE_ACCESS_AUD: audience } = env
  if (isEmpty(team) && isEmpty(audience)) return { problems: [], access: null }
  const problems: Problem[] = []
  const remedy =
    'Both are in the Zero Trust dashboard, or leave both out if Cloudflare Access does not protect /_tidegate/.'
  if (typeof team !== 'string' || !TEAM.test(team))
    problems.push(
      problem('TIDEGATE_ACCESS_TEAM', '"https://TEAM.cloudflareaccess.com"', sizeOf(team), remedy),
    )
  if (typeof audience !== 'string' || !/^[0-9a-f]{32,128}$/.test(audience))
    problems.push(
      problem('TIDEGATE_ACCESS_AUD', "the application's audience tag", sizeOf(audience), remedy),
    )
  return { problems, access: { team: team as string, audience: audience as string } }
}

/** For the middleware, which has no admin API. */
export function readSigningSecrets(
  env: SecretsEnv,
  place: SecretsPlace = 'worker',
): SigningSecrets {
  return signingSecrets(env, place, [])
}

function signingSecrets(
  env: SecretsEnv,
  place: SecretsPlace,
  others: readonly Problem[],
): SigningSecrets {
  const { TIDEGATE_SECRET: current, TIDEGATE_SECRET_PREVIOUS: previous } = env
  // Both have the same value for a moment while a secret is replaced: each change takes effect at once.
  const hasPrevious = !isEmpty(previous) && previous !== current
  const problems = [
    ...lengthProblem('TIDEGATE_SECRET', current, SECRET_LENGTH, place),
    ...(hasPrevious ? previousProblem(previous, place) : []),
    ...others,
  ]
  if (problems.length > 0) throw new ConfigError(problems, 'the secrets')
  return { current: current as string, previous: hasPrevious ? (previous as string) : null }
}

const isEmpty = (value: unknown): boolean => value === undefined || value === ''

const howToSet = (name: string, place: SecretsPlace): string =>
  place === 'process'
    ? `Make one with "openssl rand -hex 32", set ${name} in the environment, and pass env: process.env to tidegate().`
    : `Make one with "openssl rand -hex 32". Locally, write ${name}=… into .dev.vars; for a deployment, run "npx wrangler secret put ${name}".`

const howToRemove = (name: string, place: SecretsPlace): string =>
  place === 'process'
    ? `remove ${name} from the environment`
    : `remove it from .dev.vars or with "npx wrangler secret delete ${name}"`

function lengthProblem(
  name: string,
  value: unknown,
  least: number,
  place: SecretsPlace,
): Problem[] {
  if (typeof value === 'string' && value.length >= least) return []
  return [problem(name, `at least ${least} characters`, sizeOf(value), howToSet(name, place))]
}

function sizeOf(value: unknown): string {
  if (isEmpty(value)) return 'nothing'
  return typeof value === 'string'
    ? `${value.length}`
    : `a value that is not a text (${typeof value})`
}

function previousProblem(previous: unknown, place: SecretsPlace): Problem[] {
  const name = 'TIDEGATE_SECRET_PREVIOUS'
  return lengthProblem(name, previous, SECRET_LENGTH, place).map((short) => ({
    ...short,
    remedy: `Set the whole value that TIDEGATE_SECRET had before, or ${howToRemove(name, place)}.`,
  }))
}

function tokenProblem(
  name: string,
  token: unknown,
  secrets: readonly unknown[],
  place: SecretsPlace,
): Problem[] {
  if (isEmpty(token) || !secrets.includes(token)) return []
  return [problem(name, 'a value of its own', 'that of another secret', howToSet(name, place))]
}

function problem(path: string, expected: string, got: string, remedy: string): Problem {
  return { path, expected, found: got, remedy, route: null }
}
