/** The part of the package `ws` that the echo uses. The package has no types. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  interface ServerSocket {
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    send(data: Buffer, options: { readonly binary: boolean }): void
  }

  export class WebSocketServer {
    constructor(options: { readonly noServer: true; readonly maxPayload: number })
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accepted: (client: ServerSocket) => void,
    ): void
  }
}
