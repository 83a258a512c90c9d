import { defineConfig } from './src/index.ts'

export default defineConfig({
  routes: [{ match: '/*', origin: 'http://127.0.0.1:8788' }],
})
