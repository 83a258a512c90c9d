import { defineConfig } from 'tidegate'

export default defineConfig({
  routes: [
    {
      name: 'shop',
      match: '/*',
      origin: 'https://origin.example.com',
      sla: { percentile: 95, targetMs: 800 },
      classes: [
        // Anybody can send a cookie, so only addresses have a guaranteed rate here.
        { name: 'partners', value: 20, guaranteed: 5, match: { ip: '203.0.113.0/24' } },
        { name: 'members', value: 10, match: { cookie: { member: true } } },
        { name: 'visitors', value: 1 },
      ],
      bypass: [{ path: '/health' }],
    },
  ],
})
