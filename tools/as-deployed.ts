/** `compatibility_date` and flags of wrangler.toml. A test keeps them equal. */
export const COMPATIBILITY = {
  compatibilityDate: '2026-09-01',
  compatibilityFlags: ['enable_request_signal'],
}

/** Durable Objects: binding → class. */
export const OBJECTS = {
  TIDEGATE_COORDINATOR: 'Coordinator',
  TIDEGATE_RELAY: 'Relay',
  TIDEGATE_PASSES: 'Passes',
}
