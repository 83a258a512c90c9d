/** One line of a metric. */
export interface MetricSample {
  /** Of a histogram: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
