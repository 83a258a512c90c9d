/**
 * Meaning of the columns of a scenario's table, in the words of docs/lab.md ("What is measured").
 * Columns with a short name start with the name in that page.
 */
const COLUMNS = [
  ['share', "value of the requests answered within the target, as a share of the clairvoyant's"],
  ['missed', 'windows missed: share of the SLA windows with a percentile over the target'],
  ['clairvoyant', 'share of the windows that the clairvoyant itself misses'],
  ['violations', "share of the windows missed beyond the clairvoyant's"],
  ['recovery', 'recovery time: time from a surge or a change until p95 is within the target'],
  ['refused', 'refusals, as a share of all that asked'],
  ['with room', 'refused with room: refusals at moments when the clairvoyant saw room'],
  ['variation', 'standard deviation over mean of the admissions per minute, where nothing changes'],
  ['broken off', 'share of the admitted sessions that ended early'],
] as const

const WIDTH = Math.max(...COLUMNS.map(([column]) => column.length))

export const LEGEND: string = COLUMNS.map(
  ([column, meaning]) => `  ${column.padEnd(WIDTH)}  ${meaning}`,
).join('\n')
