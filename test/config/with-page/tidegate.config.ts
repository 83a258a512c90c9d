import { defineConfig } from '../../../src/config/user-config.ts'
import page from './busy.html'

/** That this compiles is a part of the test: the type checker knows what a page is. */
export default defineConfig({
  routes: [{ match: '/*', origin: 'https://origin.example.com', refusal: { page } }],
})
