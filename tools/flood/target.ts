/**
 * Only this machine may be flooded, because a flood of other machines is an attack. Returns the
 * problem, or null if the address is allowed.
 */
export function targetProblem(address: string): string | null {
  const url = URL.parse(address)
  if (url === null) return `expected an address such as http://127.0.0.1:8787, got "${address}"`
  if (url.protocol !== 'http:') return `expected an http: address, got "${address}"`
  if (!isLoopback(url.hostname))
    return `only this machine may be flooded (127.0.0.0/8, localhost, ::1), got "${url.hostname}"`
  if (url.pathname !== '/' || url.search !== '')
    return `expected an address without a path, got "${address}". Write ${url.origin}`
  return null
}

/** The URL parser has already normalised 127.1, 0x7f000001 and similar forms. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
