import { defineConfig } from 'tidegate'

export default defineConfig({
  routes: [
    {
      name: 'shop',
      match: '/*',
      origin: 'https://origin.example.com',
      sla: { percentile: 95, targetMs: 800 },
      classes: [
        // Anybody can send a cookie. Where this matters, match one that your own edge has verified.
        { name: 'members', value: 10, guaranteed: 5, match: { cookie: { member: true } } },
        { name: 'visitors', value: 1 },
      ],
      bypass: [{ path: '/health' }],
    },
  ],
})
