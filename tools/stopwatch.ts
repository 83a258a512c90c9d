/** Starts now. Each call says how many milliseconds have passed since then. */
export function stopwatch(): () => number {
  const startMs = performance.now()
  return () => performance.now() - startMs
}
