import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { SITE_SIZES, siteUse } from '../edge/site-use.ts'

export const siteUses = strict(
  defineCommand({
    meta: {
      name: 'site-use',
      description:
        'Messages and busy time of the objects by traffic, as JSON: for `tidegate cost`.',
    },
    args: {
      seconds: { type: 'string', description: 'Simulated time', default: '100' },
    },
    async run({ args: { seconds } }) {
      const uses = []
      for (const size of SITE_SIZES) uses.push(await siteUse(size, Number(seconds)))
      console.log(JSON.stringify(uses, null, 2))
    },
  }),
)
