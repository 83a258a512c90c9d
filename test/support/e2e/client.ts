import { once } from 'node:events'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'

/** Plain node:http. It does not unpack bodies, follow redirects or keep cookies. */

export interface SendOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

export async function send(url: string, options: SendOptions = {}): Promise<Answer> {
  const outgoing = openRequest(url, options)
  outgoing.end(options.body)
  return collect(await answerTo(outgoing))
}

/** A request on a new connection. The caller sends its body. */
export function openRequest(url: string, { method, headers }: SendOptions = {}): ClientRequest {
  return request(url, { method: method ?? 'GET', headers: headers ?? {}, agent: false })
}

/** Resolves with the headers; the body is still to come. */
export async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}

export async function collect(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  return { status: response.statusCode!, headers: response.headers, body, text: body.toString() }
}

/** The next piece of a body, as soon as it arrives. Later pieces stay unread. */
export function nextChunk(stream: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  stream.once('error', reject)
  stream.once('data', (chunk: Buffer) => {
    stream.pause()
    stream.off('error', reject)
    resolve(chunk.toString())
  })
  stream.resume()
  return promise
}

/** The `Cookie` header for the cookies that a server set: `name=value` of each. */
export function cookiesOf({ headers }: Pick<Answer, 'headers'>): string {
  return (headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ')
}
