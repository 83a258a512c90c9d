import { decreased, increased, paceOf, relativeError } from '../../src/learners/aimd/law.ts'
import { AIMD_OPTIONS } from '../../src/learners/aimd/options.ts'
import { BUILT_IN_MODEL, gainFor, lqrLimit } from '../../src/learners/lqr/law.ts'
import { LQR_OPTIONS } from '../../src/learners/lqr/options.ts'
import { pacProbability } from '../../src/learners/pac/learner.ts'
import { PAC_OPTIONS } from '../../src/learners/pac/options.ts'
import { TBAC_OPTIONS } from '../../src/learners/tbac/options.ts'
import { resolveOptions } from '../../src/lib/option-table.ts'
import { BAD, GOOD, type Point } from '../svg.ts'
import { type Axis, lawPictureOf, traceLaw } from './law-picture.ts'

/** The laws of the simple learners, drawn from their code with default options. */

const RESPONSE: Axis = {
  from: 0,
  to: 1.6,
  text: 'percentile of the response time / target',
  ticks: [0, 0.5, 1, 1.5].map((part) => [part, String(part)] as const),
}

const HALVES: Axis['ticks'] = [0, 0.5, 1].map((part) => [part, String(part)])

/** Bartolini et al. 2009, §6.1 and §6.2. */
export function probabilityPicture(): string {
  const { threshold } = resolveOptions(TBAC_OPTIONS)
  const { low, high } = resolveOptions(PAC_OPTIONS)
  return lawPictureOf({
    title: 'tbac and pac: admission in the next interval',
    x: RESPONSE,
    y: { from: 0, to: 1.1, text: 'fraction of new sessions that is admitted', ticks: HALVES },
    laws: [
      {
        color: BAD,
        text: 'tbac: all or none',
        points: [
          [0, 1],
          [threshold, 1],
          [threshold, 0],
          [RESPONSE.to, 0],
        ],
      },
      {
        color: GOOD,
        text: 'pac: falls linearly between two response times',
        points: [0, low, high, RESPONSE.to].map((part) => [part, pacProbability(part, low, high)]),
      },
    ],
  })
}

/** A rate well above `start`. The offered rate is the same. */
const RATE = 100

/** Welsh and Culler 2003, §3.2. */
export function aimdPicture(): string {
  const o = resolveOptions(AIMD_OPTIONS)
  const change = (part: number): number => {
    const error = relativeError(part, 1)
    const pace = paceOf(error, o)
    if (pace === 'slow') return decreased(RATE, o) - RATE
    return pace === 'fast' ? increased(RATE, error, RATE, o) - RATE : 0
  }
  const [fastBelow, slowAbove] = [1 + o.fastBelow, 1 + o.slowAbove]
  const least = 1e-9
  const points: Point[] = [0, fastBelow - least, fastBelow, slowAbove, slowAbove + least].map(
    (part) => [part, change(part)],
  )
  return lawPictureOf({
    title: 'aimd: change of the rate in one run',
    x: RESPONSE,
    y: {
      from: -20,
      to: 5,
      text: 'change of the rate, in per cent',
      ticks: [-15, -10, -5, 0].map((percent) => [percent, `${percent}`] as const),
    },
    laws: [
      {
        color: GOOD,
        text: 'a small increase if fast, then no change, a cut by a sixth if slow',
        points: [...points, [RESPONSE.to, change(RESPONSE.to)]],
      },
    ],
  })
}

/** Mathur et al. 2009, eq. 6, with the gain of the built-in model. */
export function lqrPicture(): string {
  const o = resolveOptions(LQR_OPTIONS)
  const gain = gainFor(BUILT_IN_MODEL, o)!
  const point = { rate: 1, responseMs: 1, goodput: 1 }
  const x: Axis = {
    from: 0,
    to: 4,
    text: 'mean response time / that of the operating point',
    ticks: [0, 1, 2, 3, 4].map((part) => [part, String(part)] as const),
  }
  return lawPictureOf({
    title: 'lqr: the limit by response time',
    x,
    y: { from: 0, to: 1.3, text: 'limit / operating rate', ticks: HALVES },
    laws: [
      {
        color: GOOD,
        text: 'with the goodput of the operating point',
        points: traceLaw(x, (responseMs) => lqrLimit(gain, { responseMs, goodput: 1 }, point, o)),
      },
    ],
  })
}
