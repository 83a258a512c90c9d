import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { CALIBRATIONS } from '../tournament/calibrate.ts'
import { Session } from './session.ts'

const FILE = fileURLToPath(new URL('../tournament/best-loads.json', import.meta.url))

export const bestLoads = strict(
  defineCommand({
    meta: {
      name: 'best-loads',
      description:
        "Search for the clairvoyant's best loads again and write lab/tournament/best-loads.json.",
    },
    async run() {
      const session = new Session()
      const names = CALIBRATIONS.map(({ name }) => name)
      const jobs = names.map((name) => ({ kind: 'calibration', name }) as const)
      const found = await session.run('best loads', jobs)
      session.close()
      if (found.includes(undefined)) return
      const table = Object.fromEntries(names.map((name, i) => [name, found[i]]))
      await writeFile(FILE, `${JSON.stringify(table, null, 2)}\n`)
    },
  }),
)
