import { GOOD, INK, type Point, patch, polyline, svgOf, words } from '../../tools/svg.ts'
import { PEER_NAMES } from '../tournament/policies.ts'
import { bestName, OWN, type TournamentResult } from '../tournament/tournament.ts'

const WIDTH = 900
const ROW = 30
const TOP = 92
const LEFT = 190
const RIGHT = 70
const PEER_BAR = '#94a3b8'
const GRID = '#e2e8f0'

interface Row {
  readonly name: string
  readonly atDefaults: number
  readonly atBest: number | null
}

/**
 * The tournament in one picture: the share of the clairvoyant's result that each policy reaches.
 */
export function tournamentPicture(
  { standings, seeds }: TournamentResult,
  contests: number,
): string {
  const own = standings[OWN]
  const rows: readonly Row[] = [
    ...(own ? [{ name: OWN, atDefaults: own.meanScore, atBest: null }] : []),
    ...PEER_NAMES.flatMap((name): Row[] => {
      const standing = standings[name]
      if (standing === undefined) return []
      const atBest = standings[bestName(name)]?.meanScore ?? null
      return [{ name, atDefaults: standing.meanScore, atBest }]
    }).toSorted((a, b) => (b.atBest ?? b.atDefaults) - (a.atBest ?? a.atDefaults)),
  ]
  const height = TOP + rows.length * ROW + 44
  const title = 'Value answered within the SLA, as a share of a clairvoyant’s'
  const note = `${contests} scenarios, ${seeds} seeds each; score: share × (1 − violations)`
  return svgOf({ width: WIDTH, height, title, left: 24 }, [
    words({ x: 24, y: 54, text: note }),
    patch({ from: 24, to: 36 }, { from: 66, to: 78 }, PEER_BAR),
    words({ x: 42, y: 77, text: 'as published' }),
    patch({ from: 150, to: 154 }, { from: 66, to: 78 }, INK),
    words({ x: 162, y: 77, text: 'best of up to six settings' }),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
      polyline(upright(x(part), TOP - 4, height - 40), { color: GRID }),
      words({ x: x(part), y: height - 20, text: String(part), anchor: 'middle' }),
    ]),
    ...rows.flatMap((row, i) => rowSvg(row, TOP + i * ROW)),
  ])
}

const upright = (x: number, from: number, to: number): readonly Point[] => [
  [x, from],
  [x, to],
]

const x = (share: number): number => LEFT + Math.min(1.05, share) * (WIDTH - LEFT - RIGHT)

function rowSvg({ name, atDefaults, atBest }: Row, y: number): readonly string[] {
  const isOwn = name === OWN
  const text =
    atBest === null ? atDefaults.toFixed(2) : `${atDefaults.toFixed(2)} → ${atBest.toFixed(2)}`
  const end = Math.max(x(atDefaults), x(atBest ?? 0))
  const bold = isOwn ? { weight: 600 } : {}
  const label = isOwn ? `Tidegate (${OWN})` : name
  const bar = { from: LEFT, to: x(atDefaults) }
  return [
    words({ x: LEFT - 10, y: y + 16, text: label, anchor: 'end', fill: INK, ...bold }),
    patch(bar, { from: y + 2, to: y + ROW - 8 }, isOwn ? GOOD : PEER_BAR),
    ...(atBest === null
      ? []
      : [patch({ from: x(atBest) - 2, to: x(atBest) + 2 }, { from: y, to: y + ROW - 6 }, INK)]),
    words({ x: end + 8, y: y + 17, text }),
  ]
}
