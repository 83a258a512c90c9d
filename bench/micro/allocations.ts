import { Session } from 'node:inspector/promises'
import { Repeater, type Task } from './task.ts'

/** Per call. */
export interface Allocations {
  readonly objects: number
  readonly bytes: number
}

/** A part of the protocol that is not in its types. */
interface SampledProfile {
  readonly samples: readonly { readonly size: number }[]
}

/** Warm code allocates less than cold code. */
const WARM_UP_CALLS = 50_000
const CALLS = 2000

/** Counts every allocation of a task, collected or not: V8 reports each of them. */
export async function allocationsOf(task: Task): Promise<Allocations> {
  const repeater = new Repeater(task)
  repeater.repeat(WARM_UP_CALLS)
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 1,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    })
    repeater.repeat(CALLS)
    const { profile } = await session.post('HeapProfiler.stopSampling')
    const { samples } = profile as unknown as SampledProfile
    let bytes = 0
    for (const { size } of samples) bytes += size
    return { objects: samples.length / CALLS, bytes: bytes / CALLS }
  } finally {
    session.disconnect()
  }
}
