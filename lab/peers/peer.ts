import type { PolicyFactory } from '../gate/policy.ts'

/**
 * Results of a load test of the origin in its normal state. An operator sets fixed limits by them.
 */
export interface LoadTest {
  /**
   * Rate at which the origin is just saturated: new sessions per second, or requests on request
   * routes.
   */
  readonly saturationRate: number
  /** Mean time from a session's first request to its last; 0 on request routes. */
  readonly sessionMs: number
}

export interface PeerSetting {
  readonly label: string
  readonly policy: (loadTest: LoadTest) => PolicyFactory
}

/** A rival, implemented from its published algorithm. */
export interface Peer {
  readonly name: string
  /** As published. The options say which values the publication leaves open. */
  readonly defaults: PeerSetting
  /** The defaults first, then settings that an expert would try; at most six. */
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
