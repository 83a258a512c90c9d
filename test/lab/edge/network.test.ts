import { describe, it } from 'vitest'
import { Way, type WayOptions } from '../../../lab/edge/network.ts'
import { runWithPromises, Timers } from '../../../lab/edge/timers.ts'
import { Agenda } from '../../../lab/engine/agenda.ts'
import { deterministic } from '../../../lab/engine/distributions.ts'
import { streams } from '../../../lab/engine/random.ts'

/** When each of 10,000 messages arrives, in milliseconds after it was sent; null: it never does. */
async function arrivals(options: WayOptions): Promise<readonly (number | null)[]> {
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const way = new Way(timers, streams(1)('way'), options)
  const times: (number | null)[] = []
  for (let message = 0; message < 10_000; message++) {
    times.push(null)
    way.carry(() => {
      times[message] = timers.nowMs
    })
  }
  await runWithPromises(agenda, 60_000)
  return times
}

const part = (times: readonly (number | null)[], of: number | null) =>
  times.filter((time) => time === of).length / times.length

describe('the way of messages', () => {
  const delay = deterministic({ value: 30 })

  it('takes its delay', async ({ expect }) => {
    expect(part(await arrivals({ delay }), 30)).toBe(1)
  })

  it('loses a part of them, and is late with another', async ({ expect }) => {
    const late = { part: 0.2, by: deterministic({ value: 2000 }) }
    const times = await arrivals({ delay, lost: 0.1, late })
    expect(part(times, null)).toBeCloseTo(0.1, 1)
    expect(part(times, 2030)).toBeCloseTo(0.9 * 0.2, 1)
    expect(part(times, 30)).toBeCloseTo(0.9 * 0.8, 1)
  })
})
