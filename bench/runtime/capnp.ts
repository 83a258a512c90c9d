/** A Worker as `workerd serve` runs it: one module, its bindings and its Durable Objects. */
export interface WorkerdSetup {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** The file that it is in. */
  readonly file: string
  /** Bindings that are texts. */
  readonly texts?: Readonly<Record<string, string>>
  /** Durable Objects: binding → class. */
  readonly objects?: Readonly<Record<string, string>>
}

/**
 * A nursery of 1 MB instead of up to 16: garbage is collected some hundred times a second, a little each time. With
 * the runtime's own setting it takes up to a fifth of a second every second or two, which falls into one slice or
 * another, and what piles up meanwhile is memory that the first hundred thousand requests touch for the first time.
 */
const V8_FLAGS = ['--max-semi-space-size=1']

/**
 * The configuration of a workerd that serves each Worker at a socket of its own, which bears the Worker's number, with
 * the objects' storage in a folder `storage`. The cache is one that is always empty: it is asked once at the start of
 * an isolate and written to every few seconds, so its speed does not show.
 */
export function capnp(setups: readonly WorkerdSetup[]): string {
  const numbers = setups.map((_, number) => number)
  const services = [
    ...numbers.map((number) => `(name = "${number}", worker = .worker${number})`),
    '(name = "cache", worker = .cache)',
    '(name = "network", network = (allow = ["public", "private", "local"]))',
    '(name = "storage", disk = (path = "storage", writable = true))',
  ]
  const sockets = numbers.map(
    (number) => `(name = "${number}", address = "127.0.0.1:0", http = (), service = "${number}")`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = ${list(services)},
  sockets = ${list(sockets)},
  v8Flags = ${list(V8_FLAGS.map(quote))},
);

${setups.map(worker).join('\n')}
const cache :Workerd.Worker = (
  serviceWorkerScript = ${quote(EMPTY_CACHE)},
  compatibilityDate = ${quote(setups[0]!.compatibilityDate)},
);
`
}

function worker(setup: WorkerdSetup, number: number): string {
  const { texts = {}, objects = {} } = setup
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
      `(className = ${quote(className)}, uniqueKey = ${quote(`${number} ${className}`)}, enableSql = true)`,
  )
  return `const worker${number} :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${quote(setup.file)})],
  compatibilityDate = ${quote(setup.compatibilityDate)},
  compatibilityFlags = ${list(setup.compatibilityFlags.map(quote))},
  bindings = ${list(bindings)},
  globalOutbound = "network",
  cacheApiOutbound = "cache",
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (localDisk = "storage"),
);
`
}

const EMPTY_CACHE =
  "addEventListener('fetch', (event) => event.respondWith(new Response(null, { status: event.request.method === 'GET' ? 504 : 204 })))"

/** Cap'n Proto's texts are written as JSON's are. */
const quote = (text: string): string => JSON.stringify(text)

const list = (items: readonly string[]): string => `[${items.join(', ')}]`
