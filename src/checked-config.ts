import input from '../tidegate.config.ts'
import { loadConfig } from './config/resolve.ts'
import { LEARNER_OPTIONS } from './control/learners/tables.ts'

/**
 * The configuration, checked and with every default filled in. A build puts the result in the place of this module
 * (tools/bundle.ts): so faults come up before a deployment, and an isolate neither carries the rules nor goes through them.
 */
export default loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
