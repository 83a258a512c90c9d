import * as v from 'valibot'
import { problem } from './problem.ts'

const LONGEST_BODY = 16_384

type AnySchema = v.GenericSchema<unknown, unknown>

/** What a request contains, checked; a `Response` says what is wrong with it. */
export async function readBody<Schema extends AnySchema>(
  request: Request,
  schema: Schema,
  longest = LONGEST_BODY,
): Promise<v.InferOutput<Schema> | Response> {
  if (Number(request.headers.get('Content-Length') ?? 0) > longest) return tooLong(longest)
  const text = await textOf(request, longest)
  if (text === null) return tooLong(longest)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return problem(400, 'Body: expected JSON.')
  }
  return checked(schema, body, 'Body')
}

/** null: it is longer. No more than that is read, because anybody may send a body to sign in. */
async function textOf({ body }: Request, longest: number): Promise<string | null> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value as Uint8Array | undefined, { stream: !done })
    if (text.length > longest) {
      await reader.cancel()
      return null
    }
    if (done) return text
  }
}

export function readQuery<Schema extends AnySchema>(
  request: Request,
  schema: Schema,
): v.InferOutput<Schema> | Response {
  return checked(schema, Object.fromEntries(new URL(request.url).searchParams), 'Query')
}

function tooLong(longest: number): Response {
  return problem(413, `Body: expected at most ${longest} characters.`)
}

function checked<Schema extends AnySchema>(
  schema: Schema,
  value: unknown,
  place: string,
): v.InferOutput<Schema> | Response {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const texts = result.issues.slice(0, 5).map((issue) => issueText(issue, place))
  return problem(400, texts.join(' '))
}

/** Which key, what is allowed, and what was found. */
function issueText(issue: v.BaseIssue<unknown>, place: string): string {
  const path = v.getDotPath(issue) ?? place
  const expected = issue.requirement instanceof RegExp ? String(issue.requirement) : issue.expected
  if (expected === null || expected === undefined) return issue.message
  return `${path}: expected ${expected}, found ${issue.received}.`
}
