/** Marks a page of a simulated origin, so that it can be told from an answer of a gate. */
export const PAGE_HEADER = 'demo-page'
