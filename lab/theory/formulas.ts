/**
 * Results of queueing theory in closed form, to test the engine. Rates λ, μ and times use one unit.
 */

/** Erlang C: the probability that an arrival at M/M/c has to wait. */
export function erlangC(servers: number, offered: number): number {
  // Erlang B by its recursion, then C = B / (1 − ρ (1 − B)).
  let blocked = 1
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked)
  return blocked / (1 - (offered / servers) * (1 - blocked))
}

/** Mean wait in M/M/c: C(c, a) / (cμ − λ). */
export function meanWaitMMc(lambda: number, mu: number, servers: number): number {
  return erlangC(servers, lambda / mu) / (servers * mu - lambda)
}

/** Share of the arrivals at M/M/c that wait longer than t: C(c, a) e^(−(cμ − λ) t). */
export function waitsLongerMMc(lambda: number, mu: number, servers: number, t: number): number {
  return erlangC(servers, lambda / mu) * Math.exp(-(servers * mu - lambda) * t)
}

/** Pollaczek and Khinchine: mean wait in M/G/1, λ E[S²] / (2 (1 − ρ)). */
export function meanWaitMG1(lambda: number, service: { mean: number; variance: number }): number {
  const second = service.variance + service.mean ** 2
  return (lambda * second) / (2 * (1 - lambda * service.mean))
}

/**
 * Cobham: mean wait of each class in M/G/1 with non-preemptive priorities (lower index first): W_k
 * = W_0 / ((1 − σ_{k−1}) (1 − σ_k)), W_0 = Σ λ_i E[S_i²] / 2, σ_k = ρ_0 + … + ρ_k.
 */
export function meanWaitsByPriority(
  classes: readonly { lambda: number; service: { mean: number; variance: number } }[],
): number[] {
  let residual = 0
  for (const { lambda, service } of classes) {
    residual += (lambda * (service.variance + service.mean ** 2)) / 2
  }
  let above = 0
  return classes.map(({ lambda, service }) => {
    const withOwn = above + lambda * service.mean
    const wait = residual / ((1 - above) * (1 - withOwn))
    above = withOwn
    return wait
  })
}

/** Mean response of M/G/1 with processor sharing, for any distribution: E[S] / (1 − ρ). */
export function meanResponseSharing(lambda: number, meanService: number): number {
  return meanService / (1 - lambda * meanService)
}

/** M/M/c/K: the probability of each number in the system from 0 to K. */
export function numbersInMMcK(
  lambda: number,
  mu: number,
  servers: number,
  most: number,
): readonly number[] {
  const weights = [1]
  for (let n = 1; n <= most; n++) {
    weights.push((weights[n - 1]! * lambda) / (Math.min(n, servers) * mu))
  }
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}
