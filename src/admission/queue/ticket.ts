/** A visitor's place in a waiting room. The gate signs it and gives it to the visitor. */
export interface Ticket {
  /** Random, so that nothing about the visitor can be derived from it. */
  readonly id: string
  readonly className: string
  /** Tickets are called in the order of their keys. In seconds: see queue-plan.ts. */
  readonly keyS: number
  /** It keeps its place until it was not seen for the time that the route says. */
  readonly seenMs: number
  /** Its next refresh. One that comes much sooner is not counted. */
  readonly nextMs: number
  /** The slot in which its count ends. */
  readonly slot: number
  /** The last place that the visitor was shown; 0: none. A place that is shown never grows. */
  readonly place: number
  /** When it came back for the first time, and so got its place; 0: not yet. */
  readonly placedMs: number
  /** The range that was on the screen at a random moment of the wait so far; 0: none yet. */
  readonly promisedFromMs: number
  readonly promisedToMs: number
}

/** Tickets of another version are ignored. */
const VERSION = '1'

/** A ticket as a short text. */
export function ticketText(ticket: Ticket): string {
  const { id, className, keyS, seenMs, nextMs, slot, placedMs, place } = ticket
  const { promisedFromMs, promisedToMs } = ticket
  const promise = promisedFromMs === 0 ? [0, 0] : [promisedFromMs, promisedToMs - promisedFromMs]
  const numbers = [keyS * 1e6, seenMs, nextMs - seenMs, slot, placedMs, place, ...promise]
  const texts = numbers.map((value) => Math.round(value).toString(36))
  // Dots separate the parts.
  const name = encodeURIComponent(className).replaceAll('.', '%2E')
  return [VERSION, id, ...texts, name].join('.')
}

/** null: the text has another form. */
export function parseTicket(text: string): Ticket | null {
  const [version, id = '', ...rest] = text.split('.')
  if (version !== VERSION || rest.length !== 9) return null
  const numbers = rest.slice(0, 8).map((part) => Number.parseInt(part, 36))
  const className = decoded(rest[8]!)
  if (className === null || !numbers.every(isCount)) return null
  const [keyUs, seenMs, restMs, slot, placedMs, place, fromMs, rangeMs] = numbers
  return {
    ...{ id, className, seenMs: seenMs!, slot: slot!, placedMs: placedMs!, place: place! },
    keyS: keyUs! / 1e6,
    nextMs: seenMs! + restMs!,
    promisedFromMs: fromMs!,
    promisedToMs: fromMs! + rangeMs!,
  }
}

/** Has it come back at least once? Before that it has no place. */
export const hasPlace = ({ placedMs }: Pick<Ticket, 'placedMs'>): boolean => placedMs > 0

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name)
  } catch {
    return null
  }
}
