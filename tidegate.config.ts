import { defineConfig } from './src/tidegate.ts'

export default defineConfig({
  routes: [{ match: '/*', origin: 'http://127.0.0.1:8788' }],
})
