import { describe, it } from 'vitest'
import { PageCounts } from '../../../tools/flood/page-counts.ts'
import { type Progress, progressLine } from '../../../tools/flood/progress.ts'
import { ProgressPrinter } from '../../../tools/progress-printer.ts'

function at(elapsedMs: number): Progress {
  const counts = new PageCounts(1000, () => 0)
  counts.serve('calm', 'home', 10)
  counts.serve('surge', 'home', 10)
  counts.lose('surge', 'home', 'refused')
  const totals = { calm: counts.totals('calm'), surge: counts.totals('surge') }
  return { name: 'gate', elapsedMs, seconds: 60, totals }
}

function paper(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, columns: 40, write: (text: string) => written.push(text), written }
}

describe('the progress of a flood', () => {
  it('shows the progress, the remaining time and the counts', ({ expect }) => {
    expect(progressLine(at(30_000))).toBe(
      'gate   [##########----------] surge  30 s left  in SLA 2  late 0  refused 1  abandoned 0  failed 0',
    )
    expect(progressLine(at(0))).toContain('[--------------------] calm   60 s left')
    expect(progressLine(at(61_000))).toContain('[####################] surge   0 s left')
  })

  it('redraws one line on a terminal, cut to its width, and clears it at the end', ({ expect }) => {
    const out = paper(true)
    const printer = new ProgressPrinter(out, progressLine)
    for (const ms of [0, 100, 250, 300, 500]) printer.update(at(ms))
    printer.close()
    expect(out.written).toHaveLength(4)
    const wipe = '\r\x1b[K'
    expect(out.written.map((text) => text.slice(0, wipe.length))).toEqual(Array(4).fill(wipe))
    for (const text of out.written) expect(text.length).toBeLessThanOrEqual(wipe.length + 39)
    expect(out.written.join('')).not.toContain('\n')
  })

  it('writes a plain line to a log every five seconds', ({ expect }) => {
    const out = paper(false)
    const printer = new ProgressPrinter(out, progressLine)
    for (let ms = 0; ms <= 10_000; ms += 250) printer.update(at(ms))
    printer.close()
    expect(out.written).toEqual([0, 5000, 10_000].map((ms) => `${progressLine(at(ms))}\n`))
  })

  it('starts again with the next run', ({ expect }) => {
    const out = paper(false)
    const printer = new ProgressPrinter(out, progressLine)
    printer.update(at(59_000))
    printer.say('Next.')
    printer.update(at(0))
    expect(out.written).toHaveLength(3)
  })
})
