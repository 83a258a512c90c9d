import { letAllIn } from '../gate/policy.ts'
import { peerOf } from './peer.ts'

/** No admission control. */
export const none = peerOf('none', () => letAllIn, { defaults: {} })
