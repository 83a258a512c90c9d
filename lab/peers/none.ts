import { letAllIn } from '../gate/policy.ts'
import { peerOf } from './peer.ts'

/** No admission control at all. */
export const none = peerOf('none', () => letAllIn, { defaults: {} })
