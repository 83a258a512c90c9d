import { defineConfig } from '../../../src/config/define.ts'
import page from './busy.html'

/** That this compiles is a part of the test: the type checker knows what a page is. */
export default defineConfig({
  routes: [{ match: '/*', origin: 'https://origin.example.com', refusal: { page } }],
})
