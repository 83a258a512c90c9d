import type { Hono } from 'hono/tiny'
import type { AdminEnv } from '../admin-env.ts'
import document from './openapi.json' with { type: 'json' }
import { OPERATIONS } from './operations.ts'

/** The API document, which `npm run openapi` makes from the schemas. */
export function addDocument(app: Hono<AdminEnv>): void {
  app.get(OPERATIONS.openapi.path, (c) => c.json(document))
}
