/** Base64 with the URL alphabet and without padding (RFC 4648 §5): fits into a cookie as it is. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
