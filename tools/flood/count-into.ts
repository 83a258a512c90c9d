import type { CrowdListener, PageRequest } from '../crowd/visitor.ts'
import type { FloodSession, Phase } from './crowd.ts'
import type { PageCounts } from './page-counts.ts'

/** Counts what happens to the visitors, by the phase in which a page was requested. */
export function countInto(
  counts: PageCounts,
  failures: Record<string, number>,
  stepMs: number,
): CrowdListener {
  const phaseAt = (ms: number): Phase => (ms < stepMs ? 'calm' : 'surge')
  // The sessions are those of `crowd()`: all their pages are pages of the shop.
  const kindsOf = ({ pages }: PageRequest['session']) =>
    (pages as FloodSession['pages']).map(({ kind }) => kind)
  const kindOf = ({ session, page }: PageRequest) => (session as FloodSession).pages[page]!.kind
  return {
    arrive: (session) => counts.offer(phaseAt(session.atMs), kindsOf(session)),
    send: (request) => counts.send(phaseAt(request.sentMs), kindOf(request)),
    drop: (request) => counts.drop(phaseAt(request.sentMs), kindOf(request)),
    serve: (request, ms) => counts.serve(phaseAt(request.sentMs), kindOf(request), ms),
    wait(request, isFirst) {
      counts.wait(phaseAt(request.sentMs), kindOf(request))
      if (isFirst) counts.waits.begin()
    },
    enter: (ms) => counts.waits.enter(ms),
    lose(request, loss, code) {
      counts.lose(phaseAt(request.sentMs), kindOf(request), loss)
      if (loss === 'failed') failures[code] = (failures[code] ?? 0) + 1
    },
  }
}
