import input from '../../tidegate.config.ts'
import { loadStandAloneConfig } from '../config/load.ts'

/**
 * The configuration, checked and with every default filled in. A build puts the result in the place of this module
 * (tools/bundle.ts): so faults come up before a deployment, and an isolate neither carries the rules nor follows them.
 */
export default loadStandAloneConfig(input)
