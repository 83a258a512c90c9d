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
}

/** The part of the environment that is read. */
export interface SecretsEnv {
  readonly TIDEGATE_SECRET?: unknown
  readonly TIDEGATE_SECRET_PREVIOUS?: unknown
  readonly TIDEGATE_ADMIN_TOKEN?: unknown
}

const SECRET_LENGTH = 32
const TOKEN_LENGTH = 16

/** Throws a `ConfigError` with every problem. Its text never contains the value of a secret. */
export function readSecrets(env: SecretsEnv): Secrets {
  const { TIDEGATE_SECRET: current, TIDEGATE_SECRET_PREVIOUS: previous } = env
  const adminToken = env.TIDEGATE_ADMIN_TOKEN
  return {
    ...signingSecrets(env, [
      ...lengthProblem('TIDEGATE_ADMIN_TOKEN', adminToken, TOKEN_LENGTH),
      ...tokenProblem(adminToken, [current, previous]),
    ]),
    adminToken: adminToken as string,
  }
}

/** For the middleware, which has no admin API. */
export function readSigningSecrets(env: SecretsEnv): SigningSecrets {
  return signingSecrets(env, [])
}

function signingSecrets(env: SecretsEnv, others: readonly Problem[]): SigningSecrets {
  const { TIDEGATE_SECRET: current, TIDEGATE_SECRET_PREVIOUS: previous } = env
  // Both have the same value for a moment while a secret is replaced: each change takes effect at once.
  const hasPrevious = !isEmpty(previous) && previous !== current
  const problems = [
    ...lengthProblem('TIDEGATE_SECRET', current, SECRET_LENGTH),
    ...(hasPrevious ? previousProblem(previous) : []),
    ...others,
  ]
  if (problems.length > 0) throw new ConfigError(problems, 'the secrets')
  return { current: current as string, previous: hasPrevious ? (previous as string) : null }
}

const isEmpty = (value: unknown): boolean => value === undefined || value === ''

const howToSet = (name: string): string =>
  `Make one with "openssl rand -hex 32" and set it with "npx wrangler secret put ${name}".`

function lengthProblem(name: string, value: unknown, least: number): Problem[] {
  if (typeof value === 'string' && value.length >= least) return []
  return [problem(name, `at least ${least} characters`, sizeOf(value), howToSet(name))]
}

function sizeOf(value: unknown): string {
  if (isEmpty(value)) return 'nothing'
  return typeof value === 'string'
    ? `${value.length}`
    : `a value that is not a text (${typeof value})`
}

function previousProblem(previous: unknown): Problem[] {
  const name = 'TIDEGATE_SECRET_PREVIOUS'
  return lengthProblem(name, previous, SECRET_LENGTH).map((short) => ({
    ...short,
    remedy: `Set the whole value that TIDEGATE_SECRET had before, or remove it with "npx wrangler secret delete ${name}".`,
  }))
}

function tokenProblem(token: unknown, secrets: readonly unknown[]): Problem[] {
  if (isEmpty(token) || !secrets.includes(token)) return []
  const name = 'TIDEGATE_ADMIN_TOKEN'
  return [problem(name, 'a value of its own', 'that of a signing secret', howToSet(name))]
}

function problem(path: string, expected: string, got: string, remedy: string): Problem {
  return { path, expected, found: got, remedy, route: null }
}
