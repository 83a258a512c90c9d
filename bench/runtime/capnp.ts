/** A Worker as `workerd serve` runs it: one module, its bindings and its Durable Objects. */
export interface WorkerdSetup {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Bindings that are texts. */
  readonly texts?: Readonly<Record<string, string>>
  /** Durable Objects: binding → class. */
  readonly objects?: Readonly<Record<string, string>>
  /** Folder of the objects' storage; needed where there are objects. */
  readonly storage?: string
}

/**
 * The configuration of a workerd that serves `worker.js` beside it. The cache is one that is always empty: it is
 * asked once at the start of an isolate and written to every few seconds, so its speed does not show.
 */
export function capnp(setup: WorkerdSetup): string {
  const { texts = {}, objects = {}, storage } = setup
  const bindings = [
    ...Object.entries(texts).map(
      ([name, text]) => `(name = ${quote(name)}, text = ${quote(text)})`,
    ),
    ...Object.entries(objects).map(
      ([name, className]) =>
        `(name = ${quote(name)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
  ]
  const namespaces = Object.values(objects).map(
    (className) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(className)}, enableSql = true)`,
  )
  const services = [
    '(name = "main", worker = .main)',
    '(name = "cache", worker = .cache)',
    '(name = "network", network = (allow = ["public", "private", "local"]))',
    ...(storage === undefined
      ? []
      : [`(name = "storage", disk = (path = ${quote(storage)}, writable = true))`]),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = ${list(services)},
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = ${quote(setup.compatibilityDate)},
  compatibilityFlags = ${list(setup.compatibilityFlags.map(quote))},
  bindings = ${list(bindings)},
  globalOutbound = "network",
  cacheApiOutbound = "cache",
  durableObjectNamespaces = ${list(namespaces)},
  ${storage === undefined ? '' : 'durableObjectStorage = (localDisk = "storage"),'}
);

const cache :Workerd.Worker = (
  serviceWorkerScript = ${quote(EMPTY_CACHE)},
  compatibilityDate = ${quote(setup.compatibilityDate)},
);
`
}

const EMPTY_CACHE =
  "addEventListener('fetch', (event) => event.respondWith(new Response(null, { status: event.request.method === 'GET' ? 504 : 204 })))"

/** Cap'n Proto's texts are written as JSON's are. */
const quote = (text: string): string => JSON.stringify(text)

const list = (items: readonly string[]): string => `[${items.join(', ')}]`
