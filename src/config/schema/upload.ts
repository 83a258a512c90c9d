import { DEFAULTS } from '../defaults.ts'
import { complaint } from './explain.ts'
import { number } from './fields.ts'
import { key, object } from './objects.ts'
import { MS } from './range.ts'

/** How long a client may take to send a body. */
export const upload = object(
  'UploadConfig',
  complaint('{ minBytesPerS, maxMs, maxOpen }', 'Leave it out for the defaults.'),
  {
    minBytesPerS: key(
      'A body must arrive at this many bytes per second on average, after its first 20 seconds. Otherwise the answer is 408. 1 to 1000000000. Default: 500.',
      number({ min: 1, max: 1_000_000_000 }, DEFAULTS.upload.minBytesPerS),
    ),
    maxMs: key(
      'The longest time for a body, however fast it arrives. Otherwise the answer is 408. Whole milliseconds, 100 to 86400000. Default: 900000.',
      number({ min: 100, max: 86_400_000, whole: true, unit: MS }, DEFAULTS.upload.maxMs),
    ),
    maxOpen: key(
      'Uploads of more than 64 KiB or of unknown length that an isolate forwards at once. One address range may have a quarter of them. Further uploads are refused. Whole, 1 to 100000. Default: 100.',
      number({ min: 1, max: 100_000, whole: true }, DEFAULTS.upload.maxOpen),
    ),
  },
)
