import { envoyAdmission } from './envoy-admission.ts'
import { envoyGradient } from './envoy-gradient.ts'
import { failsafe } from './failsafe-limiter.ts'
import { kratosBbr } from './kratos-bbr.ts'
import { netflixAimd } from './netflix-aimd.ts'
import { netflixGradient2 } from './netflix-gradient2.ts'
import { netflixVegas } from './netflix-vegas.ts'
import { none } from './none.ts'
import type { Peer } from './peer.ts'
import { sreThrottling } from './sre-throttling.ts'
import { tokenBucket } from './token-bucket.ts'
import { waitingRoom } from './waiting-room.ts'

const ALL: readonly Peer[] = [
  none,
  tokenBucket,
  waitingRoom,
  envoyGradient,
  envoyAdmission,
  netflixGradient2,
  netflixVegas,
  netflixAimd,
  sreThrottling,
  kratosBbr,
  failsafe,
]

/** The rivals of the tournament, by name. */
export const PEERS: Readonly<Record<string, Peer>> = Object.fromEntries(
  ALL.map((peer) => [peer.name, peer]),
)
