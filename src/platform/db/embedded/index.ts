import { readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '#platform/make-folder.ts'
import { closeCluster, isOpen, passwordOf, signIn } from './access.ts'
import { chooseAccount } from './account.ts'
import { findBinaries, linkLibraries } from './binaries.ts'
import { inspectCluster, removeUnfinished, writeCluster } from './cluster.ts'
import { EmbeddedUnavailable } from './errors.ts'
import { lockFolder } from './lock.ts'
import { newCluster } from './new-cluster.ts'
import { removeSocketFolder } from './processes.ts'
import { programsOf } from './programs.ts'
import { finishUpgrade } from './replace-cluster.ts'
import { ServerLog } from './server-log.ts'
import { DATABASE, PORT, USER } from './settings.ts'
import { makeSocketFolder } from './socket-folder.ts'
import { Supervisor } from './supervisor.ts'
import type { EmbeddedDatabase, EmbeddedOptions } from './types.ts'
import { startWatchdog } from './watchdog.ts'

export { ClusterVersionMismatch, DataFolderBusy, EmbeddedUnavailable } from './errors.ts'
export { TEMPLATE_PREFIX } from './template.ts'
export type { EmbeddedDatabase, EmbeddedOptions, EmbeddedState, Template } from './types.ts'

/**
 * Starts PostgreSQL on the data folder. Resolves when the database `forgelet` accepts connections.
 * @throws {WrongMasterKey} when the cluster was set up with another master key.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  // Undone in reverse order, when the start fails halfway or the server is stopped.
  const cleanup = new AsyncDisposableStack()
  try {
    return await start(options, cleanup)
  } catch (error) {
    await cleanup.disposeAsync()
    options.onState?.(options.signal?.aborted === true ? 'stopped' : 'failed')
    options.signal?.throwIfAborted()
    throw error
  }
}

async function start(options: EmbeddedOptions, cleanup: AsyncDisposableStack): Promise<EmbeddedDatabase> {
  const { ephemeral, log, signal = new AbortController().signal, onProcess = () => {} } = options
  const { binaries = findBinaries() } = options
  options.onState?.('starting')
  // The account that runs PostgreSQL must be able to pass through. What is inside has its own modes.
  await makeFolder(options.dataDir, 0o711)
  const dataDir = await realpath(options.dataDir)
  const lock = await lockFolder(dataDir)
  cleanup.defer(() => lock.release())
  const remove = await pathsToRemove(options, dataDir)
  cleanup.defer(() => removeAll(remove))
  await removeUnfinished(dataDir)
  await finishUpgrade(dataDir)

  const folder = join(dataDir, 'postgresql')
  const existing = await inspectCluster(folder, binaries.major)
  const account = await chooseAccount({ binaries, dataDir, cluster: existing })
  const libraries = options.binaries === undefined ? 'postgresql.lib' : `postgresql.lib-${binaries.major}`
  const env = await linkLibraries(binaries, join(dataDir, libraries))
  const key = { secretKey: options.secretKey, dataDir }
  // Read the key before anything is started: a closed cluster stays closed without it.
  const known = existing === undefined || (await isOpen(folder)) ? undefined : await passwordOf(key)
  const socketFolder = await makeSocketFolder(account, dataDir)
  cleanup.defer(() => removeSocketFolder(socketFolder))
  const watchdog = startWatchdog({ cluster: folder, socketFolder, ephemeral, remove, log, onProcess })
  cleanup.defer(() => watchdog.quit())
  const serverLog = new ServerLog(join(dataDir, 'postgresql.log'), log)
  cleanup.defer(() => serverLog.close())

  let written = Promise.resolve()
  if (existing === undefined) {
    const watch = (pid: number | undefined): void => watchdog.watch(pid)
    const run = programsOf({ account, env, signal, onProcess: watch })
    const paths = { dataDir, folder, socketFolder }
    const writesLater = await newCluster({
      ...paths,
      account,
      binaries,
      env,
      ephemeral,
      template: options.template?.(),
      run,
      watch,
      serverLog,
      log,
    })
    // The watchdog looks after the server meanwhile.
    const beside = programsOf({ account, env, signal, onProcess: () => {} })
    if (writesLater) written = writeCluster({ dataDir, folder, binaries, run: beside })
    // Whoever waits for it meets the failure.
    written.catch(() => {})
  }

  const onState = options.onState ?? ((): void => {})
  const parts = {
    cluster: folder,
    socketFolder,
    account,
    binaries,
    env,
    ephemeral,
    serverLog,
    watchdog,
    log,
    onState,
  }
  const supervisor = new Supervisor(parts)
  cleanup.defer(() => supervisor.stop())
  const giveUp = (): void => void supervisor.stop().catch(() => {}) // the start fails and reports
  signal.addEventListener('abort', giveUp)
  let password: string
  try {
    signal.throwIfAborted()
    await supervisor.start()
    password = known ?? (await closeCluster({ ...key, cluster: folder, socketFolder, account, ephemeral }))
    await signIn(socketFolder, password, dataDir)
    if (options.onDisk === undefined) await written
    else options.onDisk(written)
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  if (supervisor.state === 'starting') supervisor.become('running')
  log.info({ postmaster: supervisor.pid, account: account.kind }, 'PostgreSQL is running')

  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    await cleanup.disposeAsync()
    supervisor.become('stopped')
  }
  return {
    connection: { host: socketFolder, port: PORT, user: USER, password, database: DATABASE },
    pid: () => supervisor.pid,
    state: () => supervisor.state,
    stop: () => (stopped ??= stop()),
  }
}

/** The paths to remove when Forgelet ends. Files that were there before stay, unless the options say otherwise. */
async function pathsToRemove(options: EmbeddedOptions, dataDir: string): Promise<string[]> {
  if (options.removeDataDirAtExit === true) return [dataDir]
  if (options.removeDataDirAtExit === false || !options.ephemeral) return []
  const present = (await readdir(dataDir)).filter((name) => name !== 'forgelet.lock')
  if (present.length === 0) return [dataDir]
  if (present.includes('postgresql')) {
    throw new EmbeddedUnavailable(
      `${dataDir} holds a database already, which an ephemeral start would put at risk and then remove. ` +
        'Start without --ephemeral, or choose another folder with FORGELET_DATA.',
    )
  }
  const made = ['postgresql', 'postgresql.log', 'postgresql.log.1', 'postgresql.lib', 'forgelet.lock']
  if (!present.includes('secret.key')) made.push('secret.key')
  return made.map((name) => join(dataDir, name))
}

async function removeAll(paths: string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
