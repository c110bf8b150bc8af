import type { Listener } from '#db/listener.ts'
import type { Db } from '#db/pool.ts'
import { CHANNEL } from './change-settings.ts'
import type { Settings } from './definitions.ts'
import { completed } from './values.ts'

/** The application settings as this process knows them: at most a notification behind the database. */
export interface SettingsView {
  /** The same frozen object until something changes. */
  readonly current: () => Settings
  /** Reads them again now; a request that changed them does so after its commit, to see its own change. */
  readonly reload: () => Promise<Settings>
  /** Calls `handler` after each change, whoever made it. */
  readonly onChange: (handler: (settings: Settings, before: Settings) => void) => void
}

export interface SettingsOptions {
  readonly db: Db
  readonly listener: Listener
  /** Told when they could not be read again; they stay as they were, and the next reconnection tries anew. */
  readonly onError?: (error: unknown) => void
}

/** The settings as the database has them now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['name', 'value']).orderBy('name').execute()
  return completed(new Map(rows.map(({ name, value }) => [name, value])))
}

/** Reads the settings and keeps them up to date, also when they change in other processes. */
export async function openSettings({
  db,
  listener,
  onError = () => {},
}: SettingsOptions): Promise<SettingsView> {
  const changed: ((settings: Settings, before: Settings) => void)[] = []
  let current = completed(new Map())
  let reading: Promise<Settings> | undefined
  let next: Promise<Settings> | undefined

  async function read(): Promise<Settings> {
    const settings = await readSettings(db)
    const before = current
    if (JSON.stringify(settings) === JSON.stringify(before)) return before
    current = settings
    for (const handler of changed) handler(settings, before)
    return settings
  }

  // One read at a time, so that an older answer never replaces a newer one. Whoever asks during a read waits
  // for the one after it: the running one may have begun before their change.
  function reload(): Promise<Settings> {
    if (reading === undefined) {
      reading = read().finally(() => (reading = undefined))
      return reading
    }
    next ??= reading
      .catch(() => current)
      .then(() => {
        next = undefined
        return reload()
      })
    return next
  }

  const refresh = (): void => void reload().catch(onError)
  await listener.on(CHANNEL, refresh)
  listener.onReconnect(refresh)
  // After listening has begun, so that no change falls in between.
  await reload()

  return { current: () => current, reload, onChange: (handler) => void changed.push(handler) }
}
