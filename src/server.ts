import { startEmbedded } from '#platform/db/embedded/index.ts'
import { clusterTemplate } from './cluster-template.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { assertFolderWhole } from '#platform/db/restore-mark.ts'
import type { Config } from '#platform/config/config.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'
import type { RunningServer, ServerOptions } from './server-options.ts'

/** Starts everything: database, schema, jobs, HTTP. When a later part fails, it stops the parts already started. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  await using cleanup = new AsyncDisposableStack()
  const config = options.ephemeral
    ? { ...options.config, data: cleanup.use(await temporaryFolder()).path }
    : options.config
  // Load most of the program while PostgreSQL starts or, the first time, initdb runs: each takes a core.
  const load = () => import('./serving.ts')
  let onDisk = Promise.resolve()
  const opening: DatabaseOptions = {
    ...options,
    onProcess: () => void load(),
    onDisk: (written) => {
      onDisk = written
    },
  }
  const address = options.address ?? (await openDatabase(config, opening, cleanup))
  options.signal?.throwIfAborted()
  const { serveOn } = await load()
  const running = await serveOn(address, { ...options, config, onDisk }, cleanup)
  const all = cleanup.move()
  let stopping: Promise<void> | undefined
  return { ...running, stop: () => (stopping ??= all.disposeAsync()) }
}

export interface DatabaseOptions extends Pick<ServerOptions, 'log' | 'ephemeral' | 'signal'> {
  /** Called when a program of PostgreSQL begins its work. This process can use that time for its own. */
  readonly onProcess?: () => void
  /** Receives what to wait for before anybody is answered. Without it, the database is on disk when it is open. */
  readonly onDisk?: (written: Promise<void>) => void
}

/** Opens the database that the configuration names: an external one, or the embedded one, which it starts. */
export async function openDatabase(
  config: Config,
  { log, ephemeral = false, signal, onProcess, onDisk }: DatabaseOptions,
  cleanup: AsyncDisposableStack,
): Promise<DatabaseAddress> {
  await assertFolderWhole(config.data)
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl }
  const embedded = await startEmbedded({
    dataDir: config.data,
    ephemeral,
    log,
    secretKey: config.secretKey,
    ...(signal && { signal }),
    ...(onProcess && { onProcess }),
    ...(onDisk && { onDisk }),
    template: () => clusterTemplate(log),
  })
  cleanup.defer(() => embedded.stop())
  return embedded.connection
}
