import type { OriginSpec, TrafficSpec, TroubleSpec, WorldSpec } from './spec.ts'

/** A world in one line. */
export function lineOf(world: WorldSpec): string {
  const { sla, edge, onsetS } = world
  const parts = [
    originText(world.origin),
    `p${sla.percentile} <= ${sla.targetMs} ms`,
    trafficText(world.traffic),
    troubleText(world.trouble),
    onsetS === 0 ? 'cold' : `calm ${onsetS} s at ${world.traffic.calm}`,
    `${edge.isolates} isolates in ${edge.colos} colos (idle ${Math.round(edge.idleMs / 1000)} s${edge.lifeMs === null ? '' : `, life ${Math.round(edge.lifeMs / 1000)} s`})`,
    edge.lost > 0 || edge.late > 0 ? `lost ${edge.lost}, late ${edge.late}` : '',
  ]
  return parts.filter((part) => part !== '').join('; ')
}

function originText({ servers, service, discipline, ...rest }: OriginSpec): string {
  const { thrashesAbove, failsAbove, wastesWork } = rest
  return [
    `${servers} x ${service.meanMs} ms ${lawText(service)} ${discipline}`,
    thrashesAbove === null ? '' : `thrashes above ${thrashesAbove}`,
    failsAbove === null ? '' : `5xx above ${failsAbove}`,
    wastesWork && discipline === 'fifo' ? 'wastes work' : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function lawText(service: OriginSpec['service']): string {
  if ('cv' in service) return `${service.law} cv ${service.cv}`
  if ('shape' in service) return `${service.law} ${service.shape}`
  if ('spread' in service) return `${service.law} +-${service.spread}`
  return service.law
}

function trafficText(traffic: TrafficSpec): string {
  const { session, arrivals, retries, resend, classes, patienceMs } = traffic
  return [
    session === null
      ? 'requests'
      : `sessions of ${session.pages} pages (${session.length}) with ${session.thinkMs} ms between`,
    `${arrivals.shape} to x${traffic.overload} of ${traffic.saturationRate.toPrecision(3)}/s`,
    `patience ${patienceMs} ms`,
    retries.most > 1 ? `retries ${retries.atOnce} at once, ${retries.asTold} as told` : '',
    resend === null ? '' : `resend ${resend.most}x`,
    classes.length === 0 ? '' : `${classes.length} classes`,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function troubleText(trouble: TroubleSpec): string {
  switch (trouble.kind) {
    case 'none':
      return ''
    case 'loss':
      return `loss to ${trouble.left} after ${trouble.atS} s${trouble.backAtS === null ? '' : `, back after ${trouble.backAtS} s`}`
    case 'return':
      return `${trouble.left} at first, all after ${trouble.backAtS} s`
    case 'leak':
      return `leak to ${trouble.left} from ${trouble.fromS} to ${trouble.toS} s`
    case 'pauses':
      return `pauses of ${trouble.lengthS} s every ${trouble.everyS} s`
  }
}
