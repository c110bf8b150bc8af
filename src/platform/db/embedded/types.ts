import type { DatabaseAddress } from '../pool.ts'
import type { Binaries } from './binaries.ts'

/** The part of a pino logger that the supervisor uses. */
export interface Log {
  info(obj: object, msg: string): void
  warn(obj: object, msg: string): void
  error(obj: object, msg: string): void
}

export type EmbeddedState = 'starting' | 'running' | 'restarting' | 'stopped' | 'failed'

/**
 * A cluster that new ones are copied from: with the schema, without secrets, as a first start would leave it that was
 * interrupted before it made any. To copy it takes a tenth of the time that it takes to make one.
 */
export interface Template {
  /** Where it is, or will be. The name stands for what is in it. */
  readonly folder: string
  /** Brings the empty database of the template to the state that every start would bring it to. */
  readonly prepare: (address: DatabaseAddress) => Promise<void>
}

export interface EmbeddedOptions {
  /** Forgelet's data folder. The cluster is in `<dataDir>/postgresql`. */
  dataDir: string
  /** The programs to use instead of those that Forgelet ships: of a cluster of an earlier major version. */
  binaries?: Binaries
  /** Turns durability off, for data that is not needed after the process has ended. */
  ephemeral: boolean
  log: Log
  /** FORGELET_SECRET_KEY. When absent, the key in the data folder is used; the first start makes it. */
  secretKey?: string | undefined
  onState?: (state: EmbeddedState) => void
  /**
   * Removes the data folder when Forgelet ends, however it ends. When absent, an ephemeral server removes the folder
   * if it was missing or empty at the start, else only what it made itself. `true` removes it whatever it holds.
   */
  removeDataDirAtExit?: boolean
  /** Aborts a start that is under way. */
  signal?: AbortSignal
  /** What a new cluster is copied from. Ephemeral servers make it where it is missing, because others will follow. */
  template?: () => Template | undefined
  /** Called whenever initdb or the server begins its work. */
  onProcess?: () => void
  /**
   * Receives what to wait for before anybody is answered: the files of a new cluster are on disk then. Without it, the start waits.
   */
  onDisk?: (written: Promise<void>) => void
}

export interface EmbeddedDatabase {
  /** What `pg` needs to connect. */
  readonly connection: { host: string; port: number; user: string; password: string; database: string }
  readonly pid: () => number | undefined
  readonly state: () => EmbeddedState
  /** Shuts down fast, within a bound, then immediately; removes the socket folder. */
  stop(): Promise<void>
}
