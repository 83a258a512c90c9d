import type { Slice } from '../load/load.ts'
import type { Group } from './groups.ts'
import { ORIGIN_BODY } from './origin.ts'
import { type Refusal, readRefusal } from './refusal.ts'

/** A gate with a very low limit admits a request now and then. */
const LEAST_REFUSED = 0.99

/** Throws if a variant does not give the response that it is measured for. */
export async function checkAnswer(
  { name: group }: Group,
  variant: string,
  response: Response,
  refusal: Refusal,
): Promise<void> {
  const given = await readRefusal(response)
  const complain = (what: string): never => {
    throw new Error(`${group}/${variant}: ${what}\n${JSON.stringify(given)}`)
  }
  if (group === 'refuse') {
    if (given.status !== refusal.status) complain(`expected status ${refusal.status}`)
    if (sizeOf(given.body) !== sizeOf(refusal.body)) complain('expected the same page')
    for (const name of Object.keys(refusal.headers))
      if (!(name in given.headers)) complain(`expected the header ${name}`)
    return
  }
  if (given.status !== 200 || given.body !== ORIGIN_BODY) complain("expected the origin's page")
  const setsCookie = SET_A_COOKIE.has(variant) && group !== 'session'
  if ('set-cookie' in given.headers !== setsCookie) complain('expected a cookie of new sessions')
}

const SET_A_COOKIE = new Set(['gate', 'sameBytes', 'cookie'])

/** The page contains the seconds until the next try, with one digit or two. */
const sizeOf = (page: string): number => page.replaceAll(/\d+/g, '').length

export function checkSlice({ name: group }: Group, variant: string, slice: Slice): void {
  const { requests, unsuccessful, broken } = slice
  const isRight = group === 'refuse' ? unsuccessful >= LEAST_REFUSED * requests : unsuccessful === 0
  if (requests === 0 || broken > 0 || !isRight)
    throw new Error(`${group}/${variant}: wrong answers under load: ${JSON.stringify(slice)}`)
}
