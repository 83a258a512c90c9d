/**
 * Finds the path patterns that match a path, in one walk over the path's segments. So the cost hardly grows with the
 * number of patterns. `*` stands for one segment, and at the end for any number of segments.
 */
interface Node {
  readonly next: Map<string, Node>
  any: Node | null
  /** Patterns that end exactly here. */
  readonly here: number[]
  /** Patterns that end in `/*` here. They match everything below, and this path itself. */
  readonly below: number[]
}

const newNode = (): Node => ({ next: new Map(), any: null, here: [], below: [] })

export class PathTree {
  readonly #root = newNode()

  add(pattern: string, id: number): void {
    let node = this.#root
    const segments = pattern === '/' ? [] : pattern.slice(1).split('/')
    for (const [i, segment] of segments.entries()) {
      if (segment === '*' && i === segments.length - 1) {
        node.below.push(id)
        return
      }
      if (segment === '*') node = node.any ??= newNode()
      else node = branchTo(node, segment)
    }
    node.here.push(id)
  }

  /** The ids of the patterns that match, lowest first. */
  matching(path: string): readonly number[] {
    const found: number[] = []
    walk(this.#root, path, 1, found)
    return found.length > 1 ? found.sort((a, b) => a - b) : found
  }
}

function branchTo({ next }: Node, segment: string): Node {
  const node = next.get(segment) ?? newNode()
  next.set(segment, node)
  return node
}

function walk(node: Node, path: string, from: number, found: number[]): void {
  found.push(...node.below)
  // A slash at the end makes no difference.
  if (from >= path.length) {
    found.push(...node.here)
    return
  }
  if (node.any === null && node.next.size === 0) return
  const slash = path.indexOf('/', from)
  const end = slash < 0 ? path.length : slash
  const next = node.next.get(path.substring(from, end))
  if (next !== undefined) walk(next, path, end + 1, found)
  if (node.any !== null && end > from) walk(node.any, path, end + 1, found)
}
