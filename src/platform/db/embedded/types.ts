/** The part of a pino logger that the supervisor uses. */
export interface Log {
  info(obj: object, msg: string): void
  warn(obj: object, msg: string): void
  error(obj: object, msg: string): void
}

export type EmbeddedState = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed'

export interface EmbeddedOptions {
  /** Forgelet's data folder; the cluster lives in `<dataDir>/postgresql`. */
  dataDir: string
  /** Durability off: for data that nobody misses after the process has ended. */
  ephemeral: boolean
  log: Log
  /** FORGELET_SECRET_KEY; unset, the key in the data folder is used, and made there at the first start. */
  secretKey?: string | undefined
  onState?: (state: EmbeddedState) => void
  /**
   * Remove the data folder when Forgelet ends, however it ends. Unset, an ephemeral server removes the folder if it
   * was missing or empty at the start, else only what it made itself; `true` removes it whatever it holds.
   */
  removeDataDirAtExit?: boolean
  /** Gives up a start under way. */
  signal?: AbortSignal
  /** Told whenever initdb or the server begins its work. */
  onProcess?: () => void
}

export interface EmbeddedDatabase {
  /** What `pg` needs to connect. */
  readonly connection: { host: string; port: number; user: string; password: string; database: string }
  readonly pid: () => number | undefined
  readonly state: () => EmbeddedState
  /** Fast shutdown, bounded, then immediate; removes the socket folder. */
  stop(): Promise<void>
}
