import { describe, it } from 'vitest'
import { ProgressBar, progressLine } from '../../../lab/jobs/progress.ts'

class Screen {
  readonly texts: string[] = []
  readonly isTTY: boolean
  readonly columns = 40

  constructor(isTTY: boolean) {
    this.isTTY = isTTY
  }

  write(text: string): void {
    this.texts.push(text)
  }
}

describe('the progress of many runs', () => {
  it('estimates the remaining time: 30 of 120 runs in 60 s leave 90 runs of 2 s', ({ expect }) => {
    expect(progressLine('tournament', 30, 120, 60_000)).toBe(
      'tournament [######------------------] 30 of 120 runs, 3 min 0 s left',
    )
    expect(progressLine('x', 0, 10, 5)).toContain('starting')
    expect(progressLine('x', 10, 10, 5000)).toContain(
      '[########################] 10 of 10 runs, 0 s left',
    )
  })

  it('redraws one line on a terminal, cut to its width, and clears it at the end', ({ expect }) => {
    const screen = new Screen(true)
    let nowMs = 0
    const bar = new ProgressBar('tournament', screen, () => nowMs)
    bar.update(1, 100)
    nowMs = 100
    bar.update(2, 100) // too soon to redraw
    nowMs = 300
    bar.update(3, 100)
    bar.close()
    expect(screen.texts).toHaveLength(3)
    expect(screen.texts.every((text) => text.startsWith('\r\x1b[K'))).toBe(true)
    expect(screen.texts[1]).toHaveLength(39 + '\r\x1b[K'.length)
    expect(screen.texts[2]).toBe('\r\x1b[K')
  })

  it('writes a plain line to a log from time to time', ({ expect }) => {
    const log = new Screen(false)
    let nowMs = 0
    const bar = new ProgressBar('t', log, () => nowMs)
    for (nowMs = 0; nowMs <= 25_000; nowMs += 1000) bar.update(nowMs / 1000, 100)
    bar.close()
    expect(log.texts).toHaveLength(2)
    expect(log.texts[0]).toMatch(/^t \[.*\] 10 of 100 runs, 1 min 30 s left\n$/)
  })
})
