import type { UploadRules } from '../config/config.ts'

/** Of all places, one client may hold this part. */
const LARGEST_PART = 0.25

/** The large uploads that an isolate forwards at once, for one route. They have a cap of their own. */
export class OpenUploads {
  readonly #most: number
  readonly #mostOfClient: number
  readonly #byClient = new Map<number, number>()
  #open = 0

  constructor({ maxOpen }: UploadRules) {
    this.#most = maxOpen
    this.#mostOfClient = Math.ceil(maxOpen * LARGEST_PART)
  }

  get size(): number {
    return this.#open
  }

  /** May this client open one more? null: the client is unknown. */
  hasRoom(client: number | null): boolean {
    if (this.#open >= this.#most) return false
    return client === null || (this.#byClient.get(client) ?? 0) < this.#mostOfClient
  }

  /** Takes a place. The returned function gives it back, once. */
  open(client: number | null): () => void {
    this.#add(client, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#add(client, -1)
      isOpen = false
    }
  }

  #add(client: number | null, by: number): void {
    this.#open += by
    if (client === null) return
    const count = (this.#byClient.get(client) ?? 0) + by
    if (count === 0) this.#byClient.delete(client)
    else this.#byClient.set(client, count)
  }
}
