import type { TidegateConfig } from '../../src/config/user-config.ts'
import type { CapacityConfig } from '../../src/config/user-config-capacity.ts'
import { DEMO_SERVER } from './demo-server.ts'

/** How long a demo server takes to start. Real machines take minutes; the demo should not. */
export const STARTUP_MS = 2000

/** The demo looks every few seconds, so that a flood of a minute shows something. */
export const DEMO_CAPACITY = {
  tiers: [{ name: 'app', min: 1, max: 8, workers: DEMO_SERVER.servers }],
  startupS: STARTUP_MS / 1000,
  react: { everyS: 5, pauseS: 3, maxStep: 4 },
} as const satisfies CapacityConfig

/** The configuration with capacity planning in every route that has none. */
export function withCapacity(config: TidegateConfig): TidegateConfig {
  if (!Array.isArray(config?.routes)) return config
  return {
    ...config,
    routes: config.routes.map((route) => ({ capacity: DEMO_CAPACITY, ...route })),
  }
}
