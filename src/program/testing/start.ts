import type { RunningServer, ServerOptions } from '#server-options.ts'
import { startServer } from '#server.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { transact } from '#platform/db/transaction.ts'
import { rememberPristine } from './pristine.ts'

export interface ResettableServer {
  readonly running: RunningServer
  /** Restores the state after the start: rows, sequences, settings; no jobs. */
  readonly reset: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A server for tests, in this process. The database user must be allowed to set `session_replication_role`. */
export async function startResettable({
  settings,
  ...options
}: ServerOptions & { readonly settings?: Partial<Settings> }): Promise<ResettableServer> {
  const running = await startServer(options)
  const {
    addressRules,
    files,
    repositories,
    pool,
    featureFlags,
    lastUsed,
    limits,
    failedAuthentications,
    settingsView,
    licenses,
  } = running.services
  try {
    if (settings !== undefined) {
      await transact(running.services, { author: null, ip: null }, (tx) => changeSettings(tx, settings))
      await settingsView.reload()
    }
    const pristine = await rememberPristine(pool)
    const reset = async (): Promise<void> => {
      await lastUsed.flush() // otherwise it would be written into the new rows
      await pristine.restore()
      // Elsewhere the data folder may hold other people's files.
      if (options.ephemeral) await Promise.all([files.clear(), repositories.clear()])
      await limits.forget() // ids are assigned again
      failedAuthentications.forget()
      await settingsView.reload()
      await licenses.reload()
      await featureFlags.reload()
      await addressRules.reload()
    }
    return { running, reset, stop: () => running.stop() }
  } catch (error) {
    await running.stop()
    throw error
  }
}
