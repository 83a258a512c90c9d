import { COMPATIBILITY } from '../as-deployed.ts'

/** A Worker as `workerd serve` runs it: one module, its bindings and its Durable Objects. */
export interface WorkerSetup {
  /** Unique within a workerd. The storage of its Durable Objects uses it. */
  readonly name: string
  /** The file with its module. */
  readonly file: string
  /** Port on 127.0.0.1; 0: any free port. */
  readonly port: number
  /** Text bindings. */
  readonly texts: Readonly<Record<string, string>>
  /** Durable Objects: binding → class. */
  readonly objects: Readonly<Record<string, string>>
  /** The Worker that has the Durable Objects, if it is another one. */
  readonly objectsOf?: string | undefined
  /** A header with the JSON of `request.cf`. Clients could forge it, so only tests use it. */
  readonly cfHeader?: string | undefined
}

interface WorkerdSetup {
  readonly workers: readonly WorkerSetup[]
  /** The file with the Worker that implements the Cache API. Each of the others has a cache of its own, like a data centre. */
  readonly cacheFile: string
  /** The folder for the storage of Durable Objects. */
  readonly storage: string
  readonly v8Flags: readonly string[]
}

/**
 * The configuration of a workerd that serves each Worker at its own socket, named after the Worker.
 */
export function capnp({ workers, cacheFile, storage, v8Flags }: WorkerdSetup): string {
  const services = [
    ...workers.map(({ name }, i) => `(name = ${quote(name)}, worker = .worker${i})`),
    ...workers.map(({ name }) => `(name = ${quote(cacheOf(name))}, worker = .cache)`),
    `(name = "network", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "storage", disk = (path = ${quote(storage)}, writable = true))`,
  ]
  const sockets = workers.map(
    ({ name, port, cfHeader }) =>
      `(name = ${quote(name)}, address = "127.0.0.1:${port}", http = (${cfHeader === undefined ? '' : `cfBlobHeader = ${quote(cfHeader)}`}), service = ${quote(name)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = ${list(services)},
  sockets = ${list(sockets)},
  v8Flags = ${list(v8Flags.map(quote))},
);

${workers.map(workerText).join('\n')}
const cache :Workerd.Worker = (
  modules = [(name = "cache", esModule = embed ${quote(cacheFile)})],
  compatibilityDate = ${quote(COMPATIBILITY.compatibilityDate)},
);
`
}

function workerText(setup: WorkerSetup, number: number): string {
  const { name, file, texts, objects, objectsOf } = setup
  const service = objectsOf === undefined ? '' : `, serviceName = ${quote(objectsOf)}`
  const { compatibilityDate, compatibilityFlags } = COMPATIBILITY
  const bindings = [
    ...Object.entries(texts).map(([key, text]) => `(name = ${quote(key)}, text = ${quote(text)})`),
    ...Object.entries(objects).map(
      ([key, className]) =>
        `(name = ${quote(key)}, durableObjectNamespace = (className = ${quote(className)}${service}))`,
    ),
  ]
  const namespaces = Object.values(objectsOf === undefined ? objects : {}).map(
    (className) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(`${name}-${className}`)}, enableSql = true)`,
  )
  return `const worker${number} :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${quote(file)})],
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = ${list(compatibilityFlags.map(quote))},
  bindings = ${list(bindings)},
  globalOutbound = "network",
  cacheApiOutbound = ${quote(cacheOf(name))},
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (localDisk = "storage"),
);
`
}

const cacheOf = (worker: string): string => `cache of ${worker}`

/** Cap'n Proto writes texts like JSON. */
const quote = (text: string): string => JSON.stringify(text)

const list = (items: readonly string[]): string => `[${items.join(', ')}]`
