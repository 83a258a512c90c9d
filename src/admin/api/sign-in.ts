import type { Hono } from 'hono/tiny'
import type { AdminEnv } from '../admin-env.ts'
import { type Identification, isSecure } from '../auth/identify.ts'
import { isFromOwnPage } from '../auth/same-origin.ts'
import { problem, unauthorized } from '../problem.ts'
import { readBody } from '../read-input.ts'
import { OPERATIONS } from './operations.ts'
import { SIGN_IN_BODY } from './requests.ts'

/** Signing in needs no token in a header, because the token is in the body. */
export function addSignIn(app: Hono<AdminEnv>, identification: Identification): void {
  const { cookie } = identification

  app.post(OPERATIONS.signIn.path, async (c) => {
    if (!isFromOwnPage(c.req.raw)) return problem(403, 'The header Tidegate-Csrf is missing.')
    const body = await readBody(c.req.raw, SIGN_IN_BODY)
    if (body instanceof Response) return body
    const role = identification.roleOf(body.token)
    if (role === null) return unauthorized()
    const identity = { role, by: body.name ?? 'page' }
    return noContent(cookie.write(identity, Date.now(), isSecure(c.req.raw)))
  })

  app.post(OPERATIONS.signOut.path, (c) =>
    isFromOwnPage(c.req.raw)
      ? noContent(cookie.clear(isSecure(c.req.raw)))
      : problem(403, 'The header Tidegate-Csrf is missing.'),
  )
}

function noContent(cookie: string): Response {
  const headers = { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }
  return new Response(null, { status: 204, headers })
}
