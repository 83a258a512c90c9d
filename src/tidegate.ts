/**
 * Tidegate: admission control for origins behind a CDN.
 *
 * @module
 */
export { defineConfig } from './config/define.ts'
export type { TidegateConfig } from './config/form.ts'
export { type MiddlewareOptions, type TidegateVariables, tidegate } from './middleware.ts'
export type { Answer, CoordinatorPort } from './port.ts'
export { httpCoordinator } from './ports/http.ts'
export { InProcessCoordinator } from './ports/in-process.ts'
export { worker } from './worker.ts'
