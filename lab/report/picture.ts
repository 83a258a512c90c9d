import { PEER_NAMES } from '../tournament/policies.ts'
import { bestName, OWN, type TournamentResult } from '../tournament/tournament.ts'
import { escaped } from './html.ts'

const WIDTH = 900
const ROW = 30
const TOP = 92
const LEFT = 190
const RIGHT = 70

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
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>`,
    `<text x="24" y="32" font-size="18" font-weight="600" fill="#0f172a">${escaped(title)}</text>`,
    `<text x="24" y="54" fill="#475569">${contests} scenarios, ${seeds} seeds each; score: share × (1 − violations)</text>`,
    `<rect x="24" y="66" width="12" height="12" rx="2" fill="#94a3b8"/><text x="42" y="77" fill="#334155">as published</text>`,
    `<rect x="150" y="66" width="4" height="12" fill="#0f172a"/><text x="162" y="77" fill="#334155">best of up to six settings</text>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (part) =>
        `<line x1="${x(part)}" x2="${x(part)}" y1="${TOP - 4}" y2="${height - 40}" stroke="#e2e8f0"/><text x="${x(part)}" y="${height - 20}" text-anchor="middle" fill="#475569">${part}</text>`,
    ),
    ...rows.map((row, i) => rowSvg(row, TOP + i * ROW)),
    '</svg>',
    '',
  ].join('\n')
}

const x = (share: number): number => LEFT + Math.min(1.05, share) * (WIDTH - LEFT - RIGHT)

function rowSvg({ name, atDefaults, atBest }: Row, y: number): string {
  const isOwn = name === OWN
  const text =
    atBest === null ? atDefaults.toFixed(2) : `${atDefaults.toFixed(2)} → ${atBest.toFixed(2)}`
  const end = Math.max(x(atDefaults), x(atBest ?? 0))
  const label = isOwn ? `Tidegate (${OWN})` : name
  return [
    `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end" fill="#0f172a"${isOwn ? ' font-weight="600"' : ''}>${escaped(label)}</text>`,
    `<rect x="${LEFT}" y="${y + 2}" width="${(x(atDefaults) - LEFT).toFixed(1)}" height="${ROW - 10}" rx="3" fill="${isOwn ? '#0f766e' : '#94a3b8'}"/>`,
    ...(atBest === null
      ? []
      : [
          `<rect x="${(x(atBest) - 2).toFixed(1)}" y="${y}" width="4" height="${ROW - 6}" fill="#0f172a"/>`,
        ]),
    `<text x="${(end + 8).toFixed(1)}" y="${y + 17}" fill="#334155">${text}</text>`,
  ].join('')
}
