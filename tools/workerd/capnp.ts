import { COMPATIBILITY } from '../as-deployed.ts'

/** A Worker as `workerd serve` runs it: one module, its bindings and its Durable Objects. */
export interface WorkerSetup {
  /** No two of a workerd share it; what its Durable Objects store is filed under it. */
  readonly name: string
  /** The file that its module is in. */
  readonly file: string
  /** On 127.0.0.1; 0: any that is free. */
  readonly port: number
  /** Bindings that are texts. */
  readonly texts: Readonly<Record<string, string>>
  /** Durable Objects: binding → class. */
  readonly objects: Readonly<Record<string, string>>
}

interface WorkerdSetup {
  readonly workers: readonly WorkerSetup[]
  /** The file of the Worker that is the Cache API of all others. */
  readonly cacheFile: string
  /** The folder for what Durable Objects store. */
  readonly storage: string
  readonly v8Flags: readonly string[]
}

/** The configuration of a workerd that serves each Worker at a socket of its own, which bears the Worker's name. */
export function capnp({ workers, cacheFile, storage, v8Flags }: WorkerdSetup): string {
  const services = [
    ...workers.map(({ name }, i) => `(name = ${quote(name)}, worker = .worker${i})`),
    '(name = "cache", worker = .cache)',
    `(name = "network", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))`,
    `(name = "storage", disk = (path = ${quote(storage)}, writable = true))`,
  ]
  const sockets = workers.map(
    ({ name, port }) =>
      `(name = ${quote(name)}, address = "127.0.0.1:${port}", http = (), service = ${quote(name)})`,
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

function workerText({ name, file, texts, objects }: WorkerSetup, number: number): string {
  const { compatibilityDate, compatibilityFlags } = COMPATIBILITY
  const bindings = [
    ...Object.entries(texts).map(([key, text]) => `(name = ${quote(key)}, text = ${quote(text)})`),
    ...Object.entries(objects).map(
      ([key, className]) =>
        `(name = ${quote(key)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
  ]
  const namespaces = Object.values(objects).map(
    (className) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(`${name}-${className}`)}, enableSql = true)`,
  )
  return `const worker${number} :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${quote(file)})],
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = ${list(compatibilityFlags.map(quote))},
  bindings = ${list(bindings)},
  globalOutbound = "network",
  cacheApiOutbound = "cache",
  durableObjectNamespaces = ${list(namespaces)},
  durableObjectStorage = (localDisk = "storage"),
);
`
}

/** Cap'n Proto's texts are written as JSON's are. */
const quote = (text: string): string => JSON.stringify(text)

const list = (items: readonly string[]): string => `[${items.join(', ')}]`
