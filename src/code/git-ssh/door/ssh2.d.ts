/** What we use of `ssh2`. Its own types would bring those of an old Node.js. */
declare module 'ssh2' {
  import type { EventEmitter } from 'node:events'
  import type { Duplex } from 'node:stream'

  interface ParsedKey {
    readonly type: string
    getPublicSSH(): Buffer
    sign(data: string): Buffer | Error
    verify(data: Buffer | string, signature: Buffer, algorithm?: string): boolean | Error
  }

  interface AuthContext {
    readonly username: string
    readonly method: string
    accept(): void
    reject(methodsLeft?: readonly string[], isPartial?: boolean): void
    /** These are there for `publickey` alone; the last two with a signature. */
    readonly key?: { readonly algo: string; readonly data: Buffer }
    readonly signature?: Buffer | undefined
    readonly blob?: Buffer | undefined
    readonly hashAlgo?: string | undefined
  }

  interface ServerChannel extends Duplex {
    readonly stderr: NodeJS.WritableStream
    /** What the client takes. */
    readonly outgoing: { readonly packetSize: number }
    exit(code: number): void
    close(): void
  }

  interface EnvInfo {
    readonly key: string
    readonly val: string
  }

  interface Session extends EventEmitter {
    on(
      event: 'env',
      listener: (accept: (() => void) | undefined, reject: (() => void) | undefined, info: EnvInfo) => void,
    ): this
    on(
      event: 'exec',
      listener: (accept: () => ServerChannel, reject: () => void, info: { readonly command: string }) => void,
    ): this
    on(event: 'shell', listener: (accept: () => ServerChannel, reject: () => void) => void): this
    on(event: 'close', listener: () => void): this
  }

  interface Connection extends EventEmitter {
    on(event: 'authentication', listener: (context: AuthContext) => void): this
    on(event: 'ready' | 'close', listener: () => void): this
    on(event: 'session', listener: (accept: () => Session, reject: () => void) => void): this
    on(
      event: 'request',
      listener: (accept: (() => void) | undefined, reject: (() => void) | undefined) => void,
    ): this
    on(event: 'error', listener: (error: Error) => void): this
    end(): void
  }

  interface ClientInfo {
    readonly ip: string
    readonly port: number
  }

  interface ServerConfig {
    readonly hostKeys: readonly string[]
    readonly ident?: string
    /** Milliseconds between two signs of life. */
    readonly keepaliveInterval?: number
    readonly algorithms?: Readonly<Record<'kex' | 'cipher' | 'hmac' | 'compress', readonly string[]>>
  }

  class Server {
    constructor(config: ServerConfig, listener: (connection: Connection, info: ClientInfo) => void)
    injectSocket(socket: Duplex): void
  }

  /** What a client sends. Tests send what no good client would. */
  interface Protocol {
    session(channel: number, window: number, maxPacket: number): void
    exec(channel: number, command: string, wantReply: boolean): void
    env(channel: number, name: string, value: string, wantReply: boolean): void
    channelData(channel: number, data: Buffer): void
    channelClose(channel: number): void
    authPK(username: string, key: ParsedKey, algorithm: string): void
    ping(): void
    rekey(): void
  }

  interface ClientChannel extends Duplex {
    readonly stderr: NodeJS.ReadableStream
    /** Bytes that the server still takes. */
    readonly outgoing: { readonly window: number }
  }

  class Client extends EventEmitter {
    exec(command: string, done: (error: Error | undefined, channel: ClientChannel) => void): this
    readonly _protocol: Protocol
    readonly _sock: Duplex
    connect(options: {
      readonly host: string
      readonly port: number
      readonly username: string
      readonly privateKey: Buffer
      readonly authHandler?: readonly string[]
    }): this
    destroy(): this
  }

  const ssh2: {
    readonly Server: typeof Server
    readonly Client: typeof Client
    readonly utils: {
      parseKey(key: string | Buffer): ParsedKey | Error
      generateKeyPair(
        type: 'ed25519' | 'ecdsa',
        options: { readonly bits?: number },
        done: (error: Error | null, keys: { readonly private: string; readonly public: string }) => void,
      ): void
    }
  }
  export type { AuthContext, Client, ClientChannel, ClientInfo, Connection, ServerChannel, Session, Server }
  export default ssh2
}
