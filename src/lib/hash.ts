const FNV_BASIS = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** FNV-1a of `text` between two positions, as 32 bits. With its own seed, each isolate has different hashes. */
export function fnv1a(text: string, seed = 0, from = 0, to = text.length): number {
  let hash = FNV_BASIS ^ seed
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
  return hash
}

/** The last step of MurmurHash3: every input bit changes about half of the output bits. */
export function scramble(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) | 0
}

/** A hash in place of a key, so that no address or API key stays in memory as text. */
export function keyHashOf(key: string, seed: number): number {
  return scramble(fnv1a(key, seed))
}
