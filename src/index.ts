/**
 * Tidegate: admission control for origins behind a CDN.
 *
 * @module
 */
export { defineConfig, type TidegateConfig } from './config/user-config.ts'
export { type MiddlewareOptions, type TidegateVariables, tidegate } from './entry/middleware.ts'
export { mintPass, type PassOptions } from './entry/mint-pass.ts'
export { worker } from './entry/worker.ts'
export type { CoordinatorPort, ReportAnswer } from './protocol/coordinator-port.ts'
export type { ClaimAnswer, PassClaim, PassPort } from './protocol/pass-port.ts'
export { httpCoordinator } from './transport/http.ts'
export { InProcessCoordinator } from './transport/in-process.ts'
export { InProcessPasses } from './transport/in-process-passes.ts'
