/** A refusal that the bare Worker and the rivals give, too. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** These headers belong to the connection. Every server adds its own. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
])

export async function readRefusal(response: Response): Promise<Refusal> {
  const headers = [...response.headers].filter(([name]) => !OF_THE_CONNECTION.has(name))
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: await response.text(),
  }
}
