import { defineConfig } from 'tidegate'

export default defineConfig({
  routes: [
    {
      name: 'shop',
      match: '/*',
      origin: 'https://origin.example.com',
      sla: { percentile: 95, targetMs: 800 },
      classes: [
        { name: 'checkout', value: 10, guaranteed: 5, match: { path: ['/cart/*', '/checkout/*'] } },
        { name: 'browse', value: 1 },
      ],
      bypass: [{ path: '/health' }],
    },
  ],
})
