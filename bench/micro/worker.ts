import { controlTasks } from './control-tasks.ts'
import { edgeTasks } from './edge-tasks.ts'
import { type MicroTiming, measure } from './measure.ts'
import type { Task } from './task.ts'

let tasks: readonly Task[] | null = null

/** The same tasks inside workerd. Each task has its own request, because a request has a time limit. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { turn, timing } = (await request.json()) as { turn: number; timing: MicroTiming }
    tasks ??= [...edgeTasks(), ...controlTasks()]
    return Response.json(await measure(tasks.slice(turn, turn + 1), timing))
  },
}
