import { defineConfig } from 'tidegate'

/** The configuration that the edges have, too. */
export default defineConfig({
  routes: [{ name: 'site', match: '/*', sla: { targetMs: 500 } }],
})
