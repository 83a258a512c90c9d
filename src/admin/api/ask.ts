import type { Config, Route } from '../../config/config.ts'
import type {
  DeskAnswer,
  DeskRequest,
  OperatorPort,
} from '../../coordinator/operator/desk-messages.ts'
import { problem } from '../problem.ts'

/** What several coordinators answer, in the order of the origins. */
export async function askAll<Value>(
  port: OperatorPort,
  origins: readonly string[],
  requestFor: (origin: string) => DeskRequest,
): Promise<readonly Value[]> {
  const answers = await Promise.all(origins.map((origin) => port.ask(origin, requestFor(origin))))
  return answers.flatMap((answer) => (answer.ok ? [answer.value as Value] : []))
}

/** The same, by origin. A coordinator that does not answer is left out, so that the others can still be seen. */
export async function askEach<Value>(
  port: OperatorPort,
  origins: readonly string[],
  requestFor: (origin: string) => DeskRequest,
): Promise<ReadonlyMap<string, Value>> {
  const answers = await Promise.allSettled(
    origins.map((origin) => port.ask(origin, requestFor(origin))),
  )
  const found = new Map<string, Value>()
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 'rejected') console.error(answer.reason)
    else if (answer.value.ok) found.set(origins[i]!, answer.value.value as Value)
  }
  return found
}

/** A coordinator's answer as a response. */
export function answerOf(answer: DeskAnswer, status = 200): Response {
  return answer.ok
    ? Response.json(answer.value, { status, headers: { 'Cache-Control': 'no-store' } })
    : problem(answer.status, answer.detail)
}

export function routeOr404({ routes }: Config, name: string | undefined): Route | Response {
  const route = routes.find((one) => one.name === name)
  if (route !== undefined) return route
  const known = routes
    .slice(0, 20)
    .map((one) => `"${one.name}"`)
    .join(', ')
  return problem(404, `There is no route "${name}". There are: ${known}.`)
}
