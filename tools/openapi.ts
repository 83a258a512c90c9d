import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiText } from './openapi-document.ts'

/**
 * `npm run openapi`: writes the document of the admin API, made from the schemas that check its requests. With
 * `--check` it only says whether the file is up to date.
 */

const path = fileURLToPath(new URL('../src/admin/api/openapi.json', import.meta.url))
const text = openApiText()
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  console.error('src/admin/api/openapi.json is out of date: run npm run openapi.')
  process.exitCode = 1
}
