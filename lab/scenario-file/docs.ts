import { readFile } from 'node:fs/promises'
import { descriptionsOf } from '../../tools/config-schema.ts'

const FORM = new URL('./form.ts', import.meta.url)

/** One table of keys for each object of a scenario file, as docs/lab.md has them. */
export async function keyTables(): Promise<string> {
  const tables = new Map<string, string[]>()
  for (const [place, text] of descriptionsOf(await readFile(FORM, 'utf8'))) {
    const [title = '', key = ''] = place.split('.')
    const rows = tables.get(title) ?? []
    tables.set(title, [...rows, `| \`${key}\` | ${text} |`])
  }
  return [...tables]
    .map(([title, rows]) => `${headingOf(title)}\n\n| key | |\n|---|---|\n${rows.join('\n')}`)
    .join('\n\n')
}

/** `FlashCrowdFile` is what stands under `arrivals.flashCrowd`. */
const PLACES: Readonly<Record<string, string>> = {
  ScenarioFile: 'The whole file',
  SlaFile: '`sla`',
  ArrivalsFile: '`arrivals`: exactly one of these',
  FlashCrowdFile: '`arrivals.flashCrowd`',
  DayFile: '`arrivals.day`',
  BurstFile: '`arrivals.bursts[]`',
  VisitorsFile: '`visitors`',
  SessionFile: '`session`',
  ClassFile: '`classes[]`',
  OriginFile: '`origin`',
  ServiceFile: '`origin.serviceMs`, where it is not a number',
  ChangeFile: '`changes[]`',
  EdgeFile: '`edge`',
}

function headingOf(title: string): string {
  const place = PLACES[title]
  if (place === undefined) throw new RangeError(`${title} has no place in docs/lab.md`)
  return `### ${place}`
}
