import type { IncomingMessage, ServerResponse } from 'node:http'
import { streams } from '../../lab/engine/random.ts'
import { LiveStation } from '../origin/live-station.ts'
import { PAGE_HEADER } from '../origin/page-header.ts'
import { startServer } from '../origin/server.ts'
import { distributionOf } from '../origin/service-law.ts'
import type { FromOrigin, OriginArgument, ToOrigin } from './origin-messages.ts'

/**
 * The origin of a trial, in a process of its own. It ends when the trial disconnects, for any
 * reason.
 */

const { world, seed } = JSON.parse(process.argv[2]!) as OriginArgument
const station = new LiveStation(world)
const service = distributionOf(world.service)
const demands = streams(seed)('service')
const stats = { served: 0, wasted: 0, turnedAway: 0, mostInside: 0 }

/** `/name/…` is a page of the kind `name`. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  const [, kind = '', status] = (request.url ?? '/').split('/')
  // For attackers: answers that use no server, and none at all.
  if (kind === 'light') return void response.writeHead(Number(status) || 404, LIGHT).end()
  if (kind === 'never') return
  const serving = station.serve(service.draw(demands))
  stats.mostInside = Math.max(stats.mostInside, station.waiting + station.inFlight)
  const served = await serving
  if (served === null) {
    stats.turnedAway++
    response.writeHead(500, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' })
    response.end('Too busy.\n')
    return
  }
  stats.served++
  // The work is done even if the client has left, as in most servers.
  if (response.destroyed || request.socket.destroyed) {
    stats.wasted++
    return
  }
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    [PAGE_HEADER]: kind,
  })
  response.end(PAGE)
}

const LIGHT = { 'Cache-Control': 'no-store', Location: '/' } as const

const PAGE = Buffer.from(`<!doctype html><title>Trial</title><p>${'~'.repeat(1000)}</p>\n`)

function scheduleChanges(): void {
  for (const change of world.changes ?? [])
    setTimeout(() => station.change(change), 1000 * change.atS)
}

function tell(message: FromOrigin): void {
  process.send?.(message)
}

// Ctrl-C in a terminal reaches all processes. The trial decides when its origin ends.
process.on('SIGINT', () => {})
process.once('disconnect', () => process.exit())
process.on('message', (message: ToOrigin) => {
  if (message === 'start') scheduleChanges()
  else tell({ kind: 'stats', stats })
})
const { url } = await startServer(0, answer)
tell({ kind: 'listening', url })
