/**
 * Which of many path patterns match a path, at a cost that hardly grows with their number: one walk
 * over the path's segments. `*` stands for one segment, at the end for any number of them.
 */
interface Node {
  /**
   * By the hash of their segment. A `Map` of texts would cost more than all the rest: it puts each text that it is asked
   * for, one cut out of a new URL each time, into the runtime's table of all texts first.
   */
  readonly next: Map<number, Branch[]>
  any: Node | null
  /** Patterns that end exactly here. */
  readonly here: number[]
  /** Patterns that end in `/*` here: they take everything below, and this very path. */
  readonly below: number[]
}

interface Branch {
  readonly segment: string
  readonly node: Node
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

  /** Appends the ids of the patterns that match to `found`, in no order. */
  find(path: string, found: number[]): void {
    walk(this.#root, path, 1, found)
  }
}

function branchTo({ next }: Node, segment: string): Node {
  let hash = NO_LETTER
  for (let i = 0; i < segment.length; i++) hash = hashed(hash, segment.charCodeAt(i))
  const branches = next.get(hash) ?? []
  next.set(hash, branches)
  const known = branches.find((branch) => branch.segment === segment)
  if (known) return known.node
  const node = newNode()
  branches.push({ segment, node })
  return node
}

const NO_LETTER = 0
const hashed = (hash: number, code: number): number => (Math.imul(hash, 31) + code) & 0x3fffffff
const SLASH = 47

function walk(node: Node, path: string, from: number, found: number[]): void {
  for (let i = 0; i < node.below.length; i++) found.push(node.below[i]!)
  // A slash at the end makes no other page of it.
  if (from >= path.length) {
    for (let i = 0; i < node.here.length; i++) found.push(node.here[i]!)
    return
  }
  if (node.any === null && node.next.size === 0) return
  let hash = NO_LETTER
  let end = from
  for (; end < path.length; end++) {
    const code = path.charCodeAt(end)
    if (code === SLASH) break
    hash = hashed(hash, code)
  }
  const branches = node.next.get(hash)
  if (branches !== undefined)
    for (let i = 0; i < branches.length; i++) {
      const { segment, node: next } = branches[i]!
      if (segment.length === end - from && path.startsWith(segment, from))
        walk(next, path, end + 1, found)
    }
  if (node.any !== null && end > from) walk(node.any, path, end + 1, found)
}
