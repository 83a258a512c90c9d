/**
 * What the columns of a scenario's table mean, in the words of docs/lab.md ("What is measured"), where a
 * column has a short name of its own.
 */
const COLUMNS = [
  ['share', "value of the requests answered within the target, as a share of the clairvoyant's"],
  ['missed', 'windows missed: part of the SLA windows whose percentile misses the target'],
  ['clairvoyant', 'part of the windows that the clairvoyant itself misses'],
  ['violations', "the part of the windows missed beyond the clairvoyant's"],
  ['recovery', 'p95 back after: time from a surge or a change until p95 is within the target'],
  ['refused', 'refusals, as a part of all who asked'],
  ['in vain', 'refused with room: refusals at moments at which the clairvoyant saw room'],
  ['variation', 'standard deviation over mean of the admissions per minute, where nothing changes'],
  ['broken off', 'part of the admitted sessions that ended before their time'],
] as const

const WIDTH = Math.max(...COLUMNS.map(([column]) => column.length))

export const LEGEND: string = COLUMNS.map(
  ([column, meaning]) => `  ${column.padEnd(WIDTH)}  ${meaning}`,
).join('\n')
