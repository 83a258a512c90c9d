/**
 * Which of many path patterns match a path, at a cost that hardly grows with their number: one walk
 * over the path's segments. `*` stands for one segment, at the end for any number of them.
 */
interface Node {
  readonly next: Map<string, Node>
  any: Node | null
  /** Patterns that end exactly here. */
  readonly here: number[]
  /** Patterns that end in `/*` here: they take everything below, and this very path. */
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
      else {
        let next = node.next.get(segment)
        if (!next) {
          next = newNode()
          node.next.set(segment, next)
        }
        node = next
      }
    }
    node.here.push(id)
  }

  /** Appends the ids of the patterns that match to `found`, in no order. */
  find(path: string, found: number[]): void {
    walk(this.#root, path, 1, found)
  }
}

function walk(node: Node, path: string, from: number, found: number[]): void {
  for (let i = 0; i < node.below.length; i++) found.push(node.below[i]!)
  // A slash at the end makes no other page of it.
  if (from >= path.length) {
    for (let i = 0; i < node.here.length; i++) found.push(node.here[i]!)
    return
  }
  if (node.any === null && node.next.size === 0) return
  const slash = path.indexOf('/', from)
  const end = slash < 0 ? path.length : slash
  const next = node.next.get(path.substring(from, end))
  if (next) walk(next, path, end + 1, found)
  if (node.any !== null && end > from) walk(node.any, path, end + 1, found)
}
