import { adminApp, isAdminPath } from '../src/admin/app.ts'
import { loadConfig } from '../src/config/load.ts'
import { readSecrets } from '../src/config/secrets.ts'
import type { TidegateConfig } from '../src/config/user-config.ts'
import { LEARNER_OPTIONS } from '../src/learners/option-tables.ts'
import { durableObjectDesk } from '../src/transport/durable-object.ts'
import { NodeObjects } from './objects.ts'

export interface CoordinatorServerOptions {
  /** The configuration that the edges have. The server needs it for the names of routes. */
  readonly config: TidegateConfig
  /** A folder that stays: what is learned, history, actions and their audit log are in SQLite files in it. */
  readonly folder: string
  /** `TIDEGATE_SECRET`, as at the edges, and `TIDEGATE_ADMIN_TOKEN`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface CoordinatorServer {
  /** Answers reports of edges with `httpCoordinator`, and the admin API and page below /_tidegate/. */
  fetch(request: Request): Response | Promise<Response>
  /** Closes the files. */
  close(): void
}

/** Coordinator and admin on Node, for edges on platforms without Durable Objects. */
export function coordinatorServer(options: CoordinatorServerOptions): CoordinatorServer {
  const { folder, env } = options
  const config = loadConfig(options.config, { origin: 'optional', learners: LEARNER_OPTIONS })
  const objects = new NodeObjects(folder, env)
  const app = adminApp({
    config,
    secrets: readSecrets(env, 'process'),
    // Without WebSockets: the page polls.
    portOf: (bindings) => ({ ask: durableObjectDesk(bindings).ask }),
  })
  return {
    fetch: (request) =>
      isAdminPath(new URL(request.url).pathname)
        ? app.fetch(request, objects.bindings)
        : new Response('Not found\n', { status: 404 }),
    close: () => objects.close(),
  }
}
