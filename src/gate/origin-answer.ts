/** Response headers by which an origin gives commands. Clients do not see them. */
export const SESSION_COMMAND = 'Tidegate-Session'
export const STOCK_COMMAND = 'Tidegate-Stock'

/** What an origin commands with an answer. */
export interface OriginAnswerCommands {
  /** The session of this request has ended. */
  readonly isRevoked: boolean
  /** What is left on this route, 0: sold out; null: it does not say. */
  readonly stock: number | null
}

/** The answer as clients may see it, where nothing else of the gate is added. */
export function withoutCommands(response: Response): Response {
  if (commandsIn(response.headers) === null) return response
  const answer = new Response(response.body, response)
  for (const header of [SESSION_COMMAND, STOCK_COMMAND]) answer.headers.delete(header)
  return answer
}

const STOCK = /^\d{1,15}$/

/** null: the answer has no such header. An unknown value is ignored, but its header is removed all the same. */
export function commandsIn(headers: Headers): OriginAnswerCommands | null {
  const session = headers.get(SESSION_COMMAND)
  const stock = headers.get(STOCK_COMMAND)
  if (session === null && stock === null) return null
  return {
    isRevoked: session?.trim().toLowerCase() === 'revoke',
    stock: stock !== null && STOCK.test(stock.trim()) ? Number(stock) : null,
  }
}
