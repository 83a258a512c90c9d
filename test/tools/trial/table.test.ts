import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { capacityPerSecond } from '../../../tools/trial/capacity.ts'
import { GROUPS } from '../../../tools/trial/cases.ts'
import type { TrialResult } from '../../../tools/trial/run.ts'
import { renderResults, trialLine } from '../../../tools/trial/table.ts'

const result: TrialResult = {
  name: 'flash-10',
  seconds: 90,
  onsetS: 20,
  capacityPerSecond: 100,
  goal: 0.9,
  met: true,
  share: 0.9512,
  lateShare: 0.0123,
  violationS: 4,
  drainS: 3,
  refused: 12_000,
  failed: 0,
  cut: 0,
  parts: { page: { sessions: 14_000, admitted: 1400, inSla: 7000 } },
  failures: {},
  bySecond: [],
  attack: null,
  origin: { served: 7000, wasted: 0, turnedAway: 0, mostInside: 50 },
  generator: { cpu: 0.1, lagP50Ms: 1, lagP99Ms: 10, dropped: 0 },
  complete: true,
}

describe('the table of the trials', () => {
  it('has a row for each trial, and counts those that met their goals', ({ expect }) => {
    const missed = { ...result, name: 'api', met: false, drainS: null }
    const lines = renderResults([result, missed]).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      '          capacity/s  share  goal   late  violation s  drain s  cut  refused  failed',
      'flash-10         100  0.951  0.90  0.012            4        3    0    12000       0  met',
      'api              100  0.951  0.90  0.012            4    never    0    12000       0  missed',
    ])
    expect(lines.at(-1)).toBe('1 of 2 met their goals.')
  })

  it('says what makes a result doubtful, and what the classes got', ({ expect }) => {
    const text = renderResults([
      {
        ...result,
        complete: false,
        parts: {
          buyers: { sessions: 20, admitted: 18, inSla: 90 },
          visitors: { sessions: 80, admitted: 7, inSla: 35 },
        },
        failures: { 'HTTP 500': 3 },
        generator: { cpu: 0.98, lagP50Ms: 80, lagP99Ms: 300, dropped: 5 },
      },
    ])
    expect(text).toContain('interrupted')
    expect(text).toContain('0 of 1 met their goals.')
    expect(text).toContain('flash-10: admitted 18 of 20 buyers, 7 of 80 visitors')
    expect(text).toContain('flash-10: failures: 3 x HTTP 500')
    expect(text).toContain('flash-10: 5 requests were not sent')
    expect(text).toContain('80 ms behind its schedule (median; 98 % of a core)')
  })
})

describe('the progress of a trial', () => {
  it('shows the remaining time and the last second', ({ expect }) => {
    const second = { inSla: 95, late: 1, abandoned: 0, failed: 2, refused: 300 }
    const progress = { name: 'flash-10', elapsedMs: 45_000, seconds: 90, onsetS: 20, second }
    expect(trialLine(progress)).toBe(
      'flash-10       [##########----------] surge  45 s left  per second: in SLA 95  late 1  abandoned 0  failed 2  refused 300',
    )
    expect(trialLine({ ...progress, elapsedMs: 1000 })).toContain('] calm   89 s left')
  })
})

describe('docs/trials.md', () => {
  it('has every trial with its length and capacity', ({ expect }) => {
    const page = readFileSync('docs/trials.md', 'utf8')
    for (const trial of GROUPS.flatMap(({ cases }) => cases)) {
      const capacity =
        trial.capacity === 'calibrated' ? 'calibrated' : `${capacityPerSecond(trial)}/s`
      const { name, seconds, targetMs } = trial
      const target = targetMs >= 1000 ? `${targetMs / 1000} s` : `${targetMs} ms`
      expect(page).toContain(`| \`${name}\` | ${seconds} s | ${capacity} | ${target} |`)
    }
  })
})
