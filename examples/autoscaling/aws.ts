/**
 * A Lambda function that runs every minute: it tells Tidegate how many instances there are, and publishes how many it
 * wants as a part of them. The autoscaling group tracks the metric with a target of 100:
 *
 *   aws autoscaling put-scaling-policy --auto-scaling-group-name shop --policy-name tidegate \
 *     --policy-type TargetTrackingScaling --target-tracking-configuration '{"TargetValue": 100,
 *     "CustomizedMetricSpecification": {"MetricName": "desired", "Namespace": "Tidegate", "Statistic": "Maximum",
 *     "Dimensions": [{"Name": "route", "Value": "shop"}]}}'
 */
interface Answer {
  readonly tiers: Readonly<Record<string, { readonly desired: number }>>
}

interface Cloud {
  /** Instances in service, from DescribeAutoScalingGroups. */
  instances(): Promise<number>
  /** PutMetricData. */
  publish(value: number): Promise<void>
}

export async function tell(
  gate: { readonly url: string; readonly token: string; readonly route: string },
  tier: string,
  { instances, publish }: Cloud,
): Promise<void> {
  const capacity = `${gate.url}/_tidegate/api/v1/routes/${gate.route}/capacity`
  const headers = { Authorization: `Bearer ${gate.token}`, 'Content-Type': 'application/json' }
  const current = await instances()
  const body = JSON.stringify({ servers: current })
  await fetch(`${capacity}/tiers/${tier}`, { method: 'POST', headers, body })
  const response = await fetch(capacity, { headers })
  // Without an answer nothing is published, and the group stays as it is.
  if (!response.ok) return
  const { tiers } = (await response.json()) as Answer
  const desired = tiers[tier]?.desired
  if (desired !== undefined) await publish((100 * desired) / current)
}
