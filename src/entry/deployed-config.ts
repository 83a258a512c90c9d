import input from '../../tidegate.config.ts'
import { loadStandAloneConfig } from '../config/load.ts'

/**
 * The configuration, checked and with all defaults. A build replaces this module by the result (tools/bundle.ts). So
 * mistakes show before a deployment, and an isolate neither contains nor runs the checks.
 */
export default loadStandAloneConfig(input)
