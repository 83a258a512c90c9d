import { describe, it } from 'vitest'
import { startUpCpu } from '../../bench/bundle/start-up.ts'

describe('the benchmark of the start', () => {
  it('starts a deployed Worker, whose first answer is a refusal', async ({ expect }) => {
    const { loadedMs, answeredMs } = await startUpCpu(1)
    // A single start is too few for a comparison.
    expect([loadedMs, answeredMs].every(Number.isFinite)).toBe(true)
  })
})
