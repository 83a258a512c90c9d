import { ConfigError, type Problem } from './errors/problem.ts'

/** What must not stand in the configuration, from the environment. */
export interface SigningSecrets {
  /** Signs cookies and notes. */
  readonly current: string
  /** Still accepted, so that the secret can be changed without ending sessions. */
  readonly previous: string | null
}

export interface Secrets extends SigningSecrets {
  /** Opens `/_tidegate/`. */
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

/** Throws a `ConfigError` that lists every problem; no value of a secret is ever in its text. */
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

/** The same where nothing is administered: behind the middleware. */
export function readSigningSecrets(env: SecretsEnv): SigningSecrets {
  return signingSecrets(env, [])
}

function signingSecrets(env: SecretsEnv, others: readonly Problem[]): SigningSecrets {
  const { TIDEGATE_SECRET: current, TIDEGATE_SECRET_PREVIOUS: previous } = env
  // The same value twice is on the way to a new one: each secret that is set is in force at once.
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
  return typeof value === 'string' ? `${value.length}` : `a value that is no text (${typeof value})`
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
