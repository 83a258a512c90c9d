const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64 with the URL alphabet and without padding (RFC 4648 §5). It needs no escaping in a cookie. */
export function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) text += ALPHABET[(word >> shift) & 63]
  }
  return text.substring(0, Math.ceil((bytes.length * 8) / 6))
}
