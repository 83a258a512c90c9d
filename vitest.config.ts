import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig, type TestUserConfig } from 'vitest/config'
import { buildDashboard } from './tools/build-dashboard.ts'

// The Worker serves it, so every test of the Worker imports it.
buildDashboard()

/** These send requests for a long time, and mostly wait. */
const FLOODS = [
  'test/e2e/autoscale.test.ts',
  'test/e2e/chaos.test.ts',
  'test/e2e/trial.test.ts',
  'test/tools/flood.test.ts',
]

const WORKERS_ON_NODE = new URL('node/workers.ts', import.meta.url).pathname

const E2E: TestUserConfig = {
  globalSetup: ['test/e2e/setup.ts'],
  // Long enough for a machine that is busy with other things. A test ends when what it waits for has happened.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  fileParallelism: false,
  // Each file would load Miniflare anew.
  isolate: false,
}

/** Each test runs in the cheapest place that can show the fault: Node, workerd, or everything together. */
export default defineConfig({
  test: {
    // What the gate prints matters only when a test fails.
    silent: 'passed-only',
    projects: [
      {
        // The Durable Objects also run on Node: see node/.
        resolve: { alias: { 'cloudflare:workers': WORKERS_ON_NODE } },
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/workerd/**', 'test/e2e/**', ...FLOODS],
          // A process for each of 280 files would take a third of the time. No test leaves state behind in a module.
          isolate: false,
          unstubGlobals: true,
          // Simulations take seconds, and more on a busy machine: no test watches the clock.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './test/workerd/wrangler.toml' } })],
        test: { name: 'workerd', include: ['test/workerd/**/*.test.ts'] },
      },
      { test: { ...E2E, name: 'e2e', include: ['test/e2e/**/*.test.ts'], exclude: FLOODS } },
      // After the tests of Node and workerd. So they run while the other end-to-end tests do.
      { test: { ...E2E, name: 'floods', include: FLOODS, sequence: { groupOrder: 1 } } },
    ],
  },
})
