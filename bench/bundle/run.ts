import { type BundleSize, edgeBundle, sizeOf, wholeBundle } from './sizes.ts'
import { type StartUp, startUpCpu } from './start-up.ts'

export interface BundleFigures {
  readonly edge: BundleSize
  readonly whole: BundleSize
  readonly startUp: StartUp
}

export async function runBundle(
  startUps: number,
  say: (text: string) => void,
): Promise<BundleFigures> {
  say('bundle: sizes')
  const edge = sizeOf(await edgeBundle())
  const whole = sizeOf(await wholeBundle())
  say(`bundle: ${startUps} starts each`)
  return { edge, whole, startUp: await startUpCpu(startUps) }
}
