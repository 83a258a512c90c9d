import { connect, type Socket } from 'node:net'

/** What an attacker does. Each kind is an attack of the security review, on raw sockets. */
export type AttackKind =
  | 'light' // answers that cost the origin nothing: 404, 304, redirects, HEAD, a tiny page
  | 'slow-bodies' // small bodies, a byte a second
  | 'slow-uploads' // large bodies, a byte every five seconds
  | 'cut-bodies' // bodies that end early
  | 'leave' // clients that leave at once
  | 'one-cookie' // real pages, all with the same cookie

export interface Attack {
  readonly kind: AttackKind
  /** Times of the trial; after the first burst another one starts every `everyS`. */
  readonly fromS: number
  readonly toS: number
  /** Length of a burst and time between their starts. @default one burst */
  readonly burst?: { readonly lengthS: number; readonly everyS: number }
  readonly perSecond: number
  /** Sessions that the attacker gets beforehand, each from its own address. */
  readonly sessions: number
}

/** Never more than this many connections at once. */
const MOST_SOCKETS = 1500
const STEP_MS = 50

export interface RunningAttack {
  readonly sent: () => number
  stop(): void
}

/** Attacks the gate, which must be on this machine. Times count from now on. */
export function startAttack(attack: Attack, target: string): RunningAttack {
  const { hostname, port } = new URL(target)
  if (hostname !== '127.0.0.1') throw new Error('Attacks are only for a gate on this machine')
  const attacker = new Attacker(attack, Number(port))
  void attacker.prepare()
  const startedAt = performance.now()
  let owed = 0
  let lastMs = 0
  const timer = setInterval(() => {
    const nowMs = performance.now() - startedAt
    if (isActive(attack, nowMs / 1000)) owed += (attack.perSecond * (nowMs - lastMs)) / 1000
    lastMs = nowMs
    for (; owed >= 1; owed--) attacker.strike()
  }, STEP_MS)
  return {
    sent: () => attacker.sent,
    stop: () => {
      clearInterval(timer)
      attacker.stop()
    },
  }
}

export function isActive({ fromS, toS, burst }: Attack, atS: number): boolean {
  if (atS < fromS || atS >= toS) return false
  return burst === undefined || (atS - fromS) % burst.everyS < burst.lengthS
}

class Attacker {
  readonly #attack: Attack
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  readonly #cookies: string[] = []
  sent = 0

  constructor(attack: Attack, port: number) {
    this.#attack = attack
    this.#port = port
  }

  /** Gets sessions as any visitor does, in the calm before the surge. */
  async prepare(): Promise<void> {
    for (let i = 0; i < this.#attack.sessions; i++) {
      const socket = this.#open(
        `GET /light/404/${i} HTTP/1.1\r\n${headersOf(i)}Connection: close\r\n\r\n`,
      )
      if (socket === null) return
      let answer = ''
      socket.on('data', (data) => {
        answer += data
      })
      await new Promise((resolve) => socket.on('close', resolve))
      const cookie = /^set-cookie: (tidegate-[^=]+=[^;]+)/im.exec(answer)?.[1]
      if (cookie !== undefined && !cookie.includes('-wait=')) this.#cookies.push(cookie)
    }
  }

  strike(): void {
    const i = this.sent++
    const cookie = this.#cookies.length > 0 ? this.#cookies[i % this.#cookies.length] : null
    const head = `${headersOf(i)}${cookie ? `Cookie: ${cookie}\r\n` : ''}`
    switch (this.#attack.kind) {
      case 'light':
        this.#ask(LIGHT[i % LIGHT.length]!(i), head)
        return
      case 'one-cookie':
        this.#ask(`GET /page/${i}`, head)
        return
      case 'slow-bodies':
        this.#trickle(`POST /light/200 HTTP/1.1\r\n${head}Content-Length: 5\r\n\r\n`, 1000)
        return
      case 'slow-uploads':
        this.#trickle(`POST /page/large HTTP/1.1\r\n${head}Content-Length: 70000\r\n\r\n`, 5000)
        return
      case 'cut-bodies':
        this.#open(`POST /page/cut HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\nhello`)?.end()
        return
      case 'leave': {
        const socket = this.#open(`GET /never HTTP/1.1\r\n${head}\r\n`)
        setTimeout(() => socket?.resetAndDestroy(), 30)
      }
    }
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #ask(line: string, head: string): void {
    this.#open(`${line} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)?.resume()
  }

  /** Five bytes, one at a time; the upload stays open after that. */
  #trickle(text: string, everyMs: number): void {
    const socket = this.#open(text)
    if (socket === null) return
    let bytes = 0
    const timer = setInterval(() => {
      if (bytes++ < 5 || everyMs > 1000) socket.write('a')
    }, everyMs)
    socket.resume().on('close', () => clearInterval(timer))
  }

  #open(text: string): Socket | null {
    if (this.#sockets.size >= MOST_SOCKETS) return null
    const socket = connect(this.#port, '127.0.0.1')
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.write(text)
    return socket
  }
}

/** The trial's origin answers `/light/…` at once, without using its servers: see origin-process.ts. */
const LIGHT: readonly ((i: number) => string)[] = [
  (i) => `GET /light/404/${i.toString(36)}x`,
  () => 'GET /light/304',
  () => 'GET /light/302',
  () => 'HEAD /light/200',
  () => 'GET /light/200',
]

/** Attackers have an address for each session, in ranges of their own. */
const headersOf = (i: number): string =>
  `Host: trial.test\r\nCF-Connecting-IP: 10.${i % 30}.0.1\r\nUser-Agent: attack\r\n`
