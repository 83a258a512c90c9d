/**
 * Export the first two from your Worker: `export { Coordinator, Relay } from 'tidegate/durable-objects'`. `Passes` is
 * for passes with a key, or for one use.
 */
export { Coordinator } from './coordinator.ts'
export { Passes } from './passes.ts'
export { Relay } from './relay.ts'
