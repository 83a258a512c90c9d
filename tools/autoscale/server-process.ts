import { startDemoOrigin } from '../demo-origin.ts'

/**
 * One server of the autoscaled demo origin, in a process of its own. It tells its address and ends when the autoscaler
 * disconnects or stops it.
 */
const options = JSON.parse(process.argv[2]!) as {
  servers: number
  meanServiceMs: number
  seed: number
}
const origin = await startDemoOrigin({ port: 0, ...options })

// Ctrl-C in a terminal reaches all processes. The autoscaler decides when its servers end.
process.on('SIGINT', () => {})
process.once('disconnect', () => process.exit())
process.on('message', () => process.send?.({ busy: busyOf() }))
process.send?.({ url: origin.url })

function busyOf(): number {
  const { queueLength, inFlight } = origin.stats()
  return queueLength + inFlight
}
