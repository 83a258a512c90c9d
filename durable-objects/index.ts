/** Export both from your Worker: `export { Coordinator, Relay } from 'tidegate/durable-objects'`. */
export { Coordinator } from './coordinator.ts'
export { Relay } from './relay.ts'
