/**
 * During a deployment, edges and objects of two versions work together, for minutes or for days. So a version may add
 * fields to a message or to stored state, and give one a new meaning only two versions after it stopped using it.
 * Whoever adds a field raises the version. A receiver reads its own version strictly. Of the version before and the
 * next one it takes the fields that it knows, and leaves the others.
 */
export function isNeighbour(version: unknown, own: number): boolean {
  return version === own - 1 || version === own + 1
}
