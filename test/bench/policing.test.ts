import { execFileSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { runPolicing } from '../../bench/policing/run.ts'
import { jsonOf } from '../../bench/report/json.ts'
import { textOf } from '../../bench/report/text.ts'

const SHORT = { turns: 1, sampleMs: 1, samples: 3, rounds: 4, warmUpRounds: 1 }

describe('the benchmark of the two policers', () => {
  it('has the time of a verdict with each, beside the paper’s figures', async ({ expect }) => {
    const policing = await runPolicing(SHORT, () => {})
    for (const { thresholdNs, batchNs, ratio } of Object.values(policing)) {
      expect(Math.min(thresholdNs, batchNs)).toBeGreaterThan(0)
      expect(ratio).toBeCloseTo(batchNs / thresholdNs, 6)
    }
    const figures = { versions: {}, policing }
    expect(textOf(figures)).toMatch(/the decision +\S+ ns +\S+ ns/)
    expect(textOf(figures)).toMatch(/Fig. 4\) +19,000\/s +4,000\/s +4\.8/)
    expect(jsonOf(figures)).toHaveProperty('policing.gate.ratio')
  })

  it('is a part of the command', ({ expect }) => {
    const program = new URL('../../bench/cli.ts', import.meta.url).pathname
    expect(execFileSync(process.execPath, [program, '--help']).toString()).toContain('policing')
  })
})
