import type { Feedback } from '../../src/protocol/feedback.ts'
import { reportOf, routesOf } from '../micro/fixtures.ts'

export { Coordinator, Relay } from 'tidegate/durable-objects'

/** The browser's types know no WebSocket of an answer. */
interface Upgraded {
  readonly webSocket: WebSocket & { accept(): void }
}

interface CoordinatorStub {
  report(feedback: Feedback): Promise<unknown>
  fetch(url: string, init: RequestInit): Promise<Upgraded>
}

interface Env {
  readonly TIDEGATE_COORDINATOR: { getByName(name: string): CoordinatorStub }
}

interface Round {
  readonly viewers: number
  readonly ticks: number
}

const CLASSES = 3
const PAUSE_MS = 20
let seq = 0

/** Sends reports that are due for a tick each, while so many viewers watch. Answers with the time that they took. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { viewers, ticks } = (await request.json()) as Round
    const routes = routesOf(1, CLASSES)
    const given = reportOf(routes)
    const coordinator = env.TIDEGATE_COORDINATOR.getByName(`watched by ${viewers}`)
    const report = async (): Promise<void> => {
      const toMs = Date.now()
      const sent = { ...given, sender: 'bench@FRA', seq: seq++, fromMs: toMs - 1000, toMs }
      await coordinator.report(sent)
    }
    await report()
    const sockets: WebSocket[] = []
    let received = 0
    for (let i = 0; i < viewers; i++) {
      const url = `https://coordinator/?route=${routes[0]!.name}`
      const { webSocket } = await coordinator.fetch(url, { headers: { Upgrade: 'websocket' } })
      webSocket.accept()
      webSocket.addEventListener('message', () => void received++)
      sockets.push(webSocket)
    }
    let ms = 0
    for (let i = 0; i < ticks; i++) {
      const startedAt = performance.now()
      await report()
      ms += performance.now() - startedAt
      // Ticks are a second apart. What is done after a tick must be done before the next.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    for (const socket of sockets) socket.close()
    return Response.json({ ms, received })
  },
}
