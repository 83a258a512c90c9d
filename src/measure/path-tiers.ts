import { ScanResistantCache } from '../lib/scan-resistant-cache.ts'
import { timingsOf } from './server-timing.ts'

const MOST_PATHS = 4096
/** The sum of the others. */
const TOTAL = 'total'
/** Only so much of a path is remembered, because clients choose it. */
const LONGEST_PATH = 200

/**
 * Which part of the origin each path needs most, as this isolate knows it from the `Server-Timing` of earlier answers. A
 * path that was not answered yet is taken for one like the others in its folder.
 */
export class PathTiers {
  readonly #tiers = new ScanResistantCache<string | null>(MOST_PATHS)

  /** An answer without the header says nothing. */
  observe(path: string, serverTiming: string | null): void {
    if (serverTiming === null || path.length > LONGEST_PATH) return
    const tier = longestMetric(serverTiming)
    this.#tiers.set(path, tier)
    const folder = folderOf(path)
    if (folder !== null) this.#tiers.set(folder, tier)
  }

  tierOf = (path: string): string | null => {
    const own = this.#tiers.get(path)
    if (own !== undefined) return own
    const folder = folderOf(path)
    return folder === null ? null : (this.#tiers.get(folder) ?? null)
  }
}

/** `/reports/*` of `/reports/2026`; null: the path is at the top, where pages of all kinds are. */
function folderOf(path: string): string | null {
  const end = path.lastIndexOf('/')
  return end <= 0 ? null : `${path.slice(0, end)}/*`
}

/** The metric that took the most time. One that comes several times counts with its sum. null: none took any time. */
function longestMetric(header: string): string | null {
  const sums = new Map<string, number>()
  let longest: string | null = null
  let longestMs = 0
  for (const { name, ms } of timingsOf(header)) {
    if (name === TOTAL) continue
    const sum = (sums.get(name) ?? 0) + ms
    sums.set(name, sum)
    if (sum > longestMs) {
      longest = name
      longestMs = sum
    }
  }
  return longest
}
