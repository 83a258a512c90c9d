import type { OptionTable, OptionValues } from '../../lib/option-table.ts'

export const FIXED_OPTIONS = {
  limit: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Rate to admit, in new sessions/s or requests/s. 0 sets no limit.',
    source: 'set by hand, as the static control of Mathur et al. 2009, §II-A',
  },
  inFlight: {
    kind: 'number',
    default: 0,
    min: 0,
    text: 'Largest number of requests in flight to the origin. 0 sets no cap.',
    source: 'set by hand',
  },
} as const satisfies OptionTable

export type FixedOptions = OptionValues<typeof FIXED_OPTIONS>
