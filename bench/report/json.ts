import type { Ratio } from '../load/ratio.ts'
import type { PolicingCost } from '../policing/run.ts'
import { barsOf } from './bars.ts'
import { type Figures, keyOf } from './figures.ts'

type Numbers = Readonly<Record<string, number>>

/**
 * For programs: `ratios` of requests per second (`refuse`, `middleware`, `admit`, `session`: to the bare
 * counterpart; `doPerRequest` and the other rivals: how many times theirs the gate takes), `ns` a call, `bytes`.
 */
export function jsonOf(figures: Figures): unknown {
  const ratios = ratiosOf(figures)
  return {
    versions: figures.versions,
    ratios: mapValues(ratios, ({ value }) => rounded(value)),
    intervals: mapValues(ratios, ({ low, high }) => [rounded(low), rounded(high)]),
    perSecond: edgeNumbers(figures, 'perSecond'),
    cpuUs: edgeNumbers(figures, 'cpuUs'),
    ns: nsOf(figures),
    bytes: bytesOf(figures),
    ...(figures.bundle
      ? {
          startUpCpuMs: rounded(figures.bundle.startUp.loadedMs),
          firstAnswerCpuMs: rounded(figures.bundle.startUp.answeredMs),
        }
      : {}),
    ...(figures.lab ? { lab: mapValues(figures.lab, rounded) } : {}),
    ...(figures.micro ? { perRefusal: mapValues(figures.micro.refusal, rounded) } : {}),
    ...(figures.policing
      ? { policing: mapValues(figures.policing, (cost: PolicingCost) => mapValues(cost, rounded)) }
      : {}),
    ...(figures.coordinator
      ? {
          relay: mapValues(figures.coordinator.relay, rounded),
          viewers: mapValues(figures.coordinator.viewers, rounded),
        }
      : {}),
    bars: barsOf(figures).map((bar) => ({ ...bar, value: rounded(bar.value) })),
  }
}

/** The gate's ratio has the name of its group. A rival's has its own name, and a suffix unless it refuses. */
function ratiosOf({ edge = [] }: Figures): Readonly<Record<string, Ratio>> {
  const ratios: Record<string, Ratio> = {}
  for (const { group, variant, ratio, cpuRatio, gateTimes } of edge) {
    if (group === 'proxying') ratios[`proxying.${variant}`] = ratio
    else if (gateTimes) ratios[`${variant}${DOING[group] ?? ''}`] = gateTimes
    else if (variant === 'gate') {
      ratios[group] = ratio
      ratios[`${group}Cpu`] = cpuRatio
    } else if (variant === 'middleware') ratios[variant] = ratio
    else if (variant === 'control') ratios[`${group}Control`] = ratio
  }
  return ratios
}

const DOING: Readonly<Record<string, string>> = { admit: 'Admitting', session: 'KnownSessions' }

function edgeNumbers({ edge = [] }: Figures, key: 'perSecond' | 'cpuUs'): Numbers {
  return Object.fromEntries(
    edge.map((figure) => [`${figure.group}.${figure.variant}`, rounded(figure[key])]),
  )
}

function nsOf({ micro, coordinator }: Figures): Numbers {
  const calls = (micro?.node ?? []).map(({ name, ns }) => [keyOf(name), rounded(ns)] as const)
  const inside = (micro?.workerd ?? []).map(
    ({ name, ns }) => [`${keyOf(name)}InWorkerd`, rounded(ns)] as const,
  )
  const ticks = (coordinator?.ticks ?? []).flatMap((figure) => {
    const size = `${figure.colos}colos${figure.classes}classes${figure.routes}routes${figure.requests}requests`
    return [
      [`tick.${size}`, rounded(figure.tickUs * 1000)] as const,
      [`report.${size}`, rounded(figure.reportUs * 1000)] as const,
    ]
  })
  return Object.fromEntries([...calls, ...inside, ...ticks])
}

function bytesOf({ bundle, coordinator }: Figures): Numbers {
  const sizes = bundle
    ? {
        edgeGzip: bundle.edge.gzipBytes,
        edge: bundle.edge.bytes,
        wholeGzip: bundle.whole.gzipBytes,
        whole: bundle.whole.bytes,
      }
    : {}
  const messages = (coordinator?.ticks ?? []).flatMap(
    ({ classes, requests, routes, ...figure }) => {
      if (routes !== 1 || requests !== 100) return []
      return [
        [`report${classes}Classes`, figure.reportBytes] as const,
        [`plan${classes}Classes`, figure.planBytes] as const,
      ]
    },
  )
  return { ...sizes, ...Object.fromEntries(messages) }
}

/** Four digits: the measurement is not more exact. */
const rounded = (value: number): number => Number(value.toPrecision(4))

function mapValues<From, To>(
  record: Readonly<Record<string, From>> | object,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(record as Record<string, From>).map(([key, value]) => [key, map(value)]),
  )
}
