import type { PolicyFactory } from '../gate/policy.ts'

/** What an operator knows who has load-tested the origin in its normal state. Fixed limits are set by it. */
export interface LoadTest {
  /** New sessions per second, on request routes requests, at which the origin is just saturated. */
  readonly saturationRate: number
  /** Mean time from a session's first request to its last; 0 on request routes. */
  readonly sessionMs: number
}

export interface PeerSetting {
  readonly label: string
  readonly policy: (loadTest: LoadTest) => PolicyFactory
}

/** A rival, built from its published algorithm. */
export interface Peer {
  readonly name: string
  /** As published; what its makers leave open is said at its options. */
  readonly defaults: PeerSetting
  /** The defaults first, then what somebody who knows the rival would try: six at the most. */
  readonly settings: readonly PeerSetting[]
}

export const MOST_SETTINGS = 6

export function peerOf<Options>(
  name: string,
  create: (options: Options, loadTest: LoadTest) => PolicyFactory,
  options: { readonly defaults: Options } & Readonly<Record<string, Options>>,
): Peer {
  const { defaults: published, ...tuned } = options
  const settingOf = (label: string, own: Options): PeerSetting => ({
    label,
    policy: (loadTest) => create(own, loadTest),
  })
  const defaults = settingOf('defaults', published)
  const others = Object.entries(tuned as Readonly<Record<string, Options>>)
  if (others.length >= MOST_SETTINGS) throw new RangeError(`${name}: more than six settings`)
  return { name, defaults, settings: [defaults, ...others.map(([l, o]) => settingOf(l, o))] }
}
