import { bundle } from '../runtime/bundle.ts'
import { startWorkerd } from '../runtime/workerd.ts'
import { controlTasks } from './control-tasks.ts'
import { edgeTasks } from './edge-tasks.ts'
import { type MicroFigure, type MicroTiming, measure } from './measure.ts'

export interface MicroFigures {
  readonly node: readonly MicroFigure[]
  readonly workerd: readonly MicroFigure[]
}

/** The clock of workerd has a resolution of a millisecond. */
const CLOCK_FACTOR = 10

/** Each small part alone, in Node and in workerd. */
export async function runMicro(
  timing: MicroTiming,
  say: (text: string) => void,
): Promise<MicroFigures> {
  const tasks = [...edgeTasks(), ...controlTasks()]
  const node: MicroFigure[] = []
  const inside: MicroFigure[] = []
  const { code } = await bundle('bench/micro/worker.ts')
  const server = await startWorkerd(code)
  try {
    for (const [turn, task] of tasks.entries()) {
      if (turn % 10 === 0) say(`micro: ${turn} of ${tasks.length}`)
      node.push(...(await measure([task], timing)))
      const slower = { ...timing, sampleMs: timing.sampleMs * CLOCK_FACTOR }
      const body = JSON.stringify({ turn, timing: slower })
      const answer = await fetch(server.url, { method: 'POST', body })
      if (!answer.ok) throw new Error(`micro: "${task.name}" failed in workerd`)
      inside.push(...((await answer.json()) as MicroFigure[]))
    }
    return { node, workerd: inside }
  } finally {
    await server.close()
  }
}
