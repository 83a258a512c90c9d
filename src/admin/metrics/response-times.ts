import { bucketOf, histogramTotal } from '../../lib/histogram.ts'
import type { ClassFeedback } from '../../protocol/feedback.ts'
import type { MetricSample } from './metric-sample.ts'

/** 1 ms, 2 ms, 4 ms, … 65.5 s: ends of buckets of the histograms inside, so that no count has to be split. */
const EDGES_MS = Array.from({ length: 17 }, (_, octave) => 2 ** octave)

/** Response times in fixed buckets. Clocks count in whole milliseconds, and a time that is an edge counts above it. */
export function responseTimeSamples({
  latency,
  latencyUs,
}: ClassFeedback): readonly MetricSample[] {
  const samples: MetricSample[] = []
  let below = 0
  let next = 0
  for (const edgeMs of EDGES_MS) {
    for (; next < latency.length && latency[next]! < bucketOf(edgeMs); next += 2)
      below += latency[next + 1]!
    samples.push({ suffix: '_bucket', labels: { le: String(edgeMs / 1000) }, value: below })
  }
  const total = histogramTotal(latency)
  return [
    ...samples,
    { suffix: '_bucket', labels: { le: '+Inf' }, value: total },
    { suffix: '_sum', labels: {}, value: latencyUs / 1e6 },
    { suffix: '_count', labels: {}, value: total },
  ]
}
