/**
 * The Cache API for Workers in this workerd, in memory. The runtime reads an entry with GET,
 * deletes it with PURGE and writes it with PUT; the body of a PUT is the whole response, as on the
 * network.
 */
interface Kept {
  readonly head: ResponseInit
  readonly body: ArrayBuffer
  readonly untilMs: number
}

const kept = new Map<string, Kept>()

export default {
  async fetch(request: Request): Promise<Response> {
    const { method, url } = request
    if (method === 'PUT') {
      kept.set(url, read(await request.arrayBuffer()))
      return new Response(null, { status: 204 })
    }
    if (method === 'PURGE') return new Response(null, { status: kept.delete(url) ? 200 : 404 })
    const found = kept.get(url)
    if (found === undefined || found.untilMs <= Date.now())
      return new Response(null, { status: 504, headers: { 'CF-Cache-Status': 'MISS' } })
    const response = new Response(found.body, found.head)
    response.headers.set('CF-Cache-Status', 'HIT')
    return response
  },
}

function read(bytes: ArrayBuffer): Kept {
  // One character per byte, so that positions in the text are positions in the bytes.
  const text = new TextDecoder('latin1').decode(bytes)
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers(lines.map((line) => pair(line)))
  const maxAgeS = Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1] ?? 0)
  return {
    head: { status: Number(statusLine.split(' ')[1]), headers },
    body: bytes.slice(end + 4),
    untilMs: Date.now() + 1000 * maxAgeS,
  }
}

function pair(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}
