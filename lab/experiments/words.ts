/** Formats numbers for sentences. */

export const seconds = (ms: number, digits = 2): string => `${(ms / 1000).toFixed(digits)} s`

export const percent = (part: number, digits = 1): string => `${(100 * part).toFixed(digits)} %`

/** `3.9, 4.8 and 5.1 s` */
export function list(texts: readonly string[]): string {
  return texts.length < 2
    ? (texts[0] ?? '')
    : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}
