/** An answer to the refused, as the bare Worker and the rivals are to give it too. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** These belong to the connection: every server adds its own. */
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
