import { progressBar } from '../../tools/progress-printer.ts'

/** How many runs of a command are done. */
export interface RunsProgress {
  readonly title: string
  readonly done: number
  readonly of: number
  readonly elapsedMs: number
}

export function progressLine({ title, done, of, elapsedMs }: RunsProgress): string {
  return `${title} ${progressBar(done / of)} ${done} of ${of} runs, ${leftText(done, of, elapsedMs)}`
}

/** Estimated from the time that the runs so far have taken. */
function leftText(done: number, of: number, elapsedMs: number): string {
  if (done === 0) return 'starting'
  const seconds = Math.round(((elapsedMs / done) * (of - done)) / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`
}
