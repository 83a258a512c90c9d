import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TidegateBindings } from '../durable-objects/bindings.ts'
import { Coordinator, Passes, Relay } from '../durable-objects/index.ts'
import { ObjectStorage } from './object-storage.ts'

type ObjectClass = new (
  ctx: never,
  env: never,
) => { alarm?(): Promise<void> } & Record<string, unknown>

/** Longer names would be too long for a file. */
const LONGEST_NAME = 100

/** The Durable Objects of Tidegate in this process: the same classes, each object with a SQLite file in this folder. */
export class NodeObjects {
  readonly #folder: string
  readonly #storages: ObjectStorage[] = []
  readonly bindings: TidegateBindings

  /** `env`: the secrets and settings that the objects read. */
  constructor(folder: string, env: Readonly<Record<string, unknown>>) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    const bindings: Record<string, unknown> = { ...env }
    const add = (binding: keyof TidegateBindings, kind: string, object: unknown): void => {
      bindings[binding] = this.#namespace(kind, object as ObjectClass, bindings)
    }
    add('TIDEGATE_COORDINATOR', 'coordinator', Coordinator)
    add('TIDEGATE_RELAY', 'relay', Relay)
    add('TIDEGATE_PASSES', 'passes', Passes)
    this.bindings = bindings as unknown as TidegateBindings
  }

  close(): void {
    for (const storage of this.#storages.splice(0)) storage.close()
  }

  #namespace(kind: string, object: ObjectClass, env: object): { getByName(name: string): unknown } {
    const stubs = new Map<string, unknown>()
    return {
      getByName: (name) => {
        let stub = stubs.get(name)
        if (stub === undefined) {
          stub = this.#create(`${kind}-${fileNameOf(name)}`, name, object, env)
          stubs.set(name, stub)
        }
        return stub
      },
    }
  }

  /** Each call of a method is asynchronous, as between two objects, and waits until the object has read its storage. */
  #create(file: string, name: string, kind: ObjectClass, env: object): unknown {
    const fault = (error: unknown): void => console.error(`${file}:`, error)
    const storage = new ObjectStorage(
      join(this.#folder, `${file}.sqlite`),
      () => void Promise.resolve(object.alarm?.()).catch(fault),
    )
    this.#storages.push(storage)
    let isReady: Promise<unknown> = Promise.resolve()
    const object = new kind(
      {
        id: { name },
        storage,
        blockConcurrencyWhile: (work: () => Promise<unknown>) => {
          isReady = work()
          return isReady
        },
        waitUntil: (work: Promise<unknown>) => void work.catch(fault),
        getWebSockets: () => [],
      } as never,
      env as never,
    )
    return new Proxy(object, {
      get:
        (_, method) =>
        async (...given: unknown[]) => {
          await isReady
          return (object[String(method)] as (...given: unknown[]) => unknown)(...given)
        },
    })
  }
}

function fileNameOf(name: string): string {
  const plain = encodeURIComponent(name).replaceAll('*', '%2A')
  return plain.length <= LONGEST_NAME ? plain : createHash('sha256').update(name).digest('hex')
}
