import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Watched, watch } from '#platform/db/watched.ts'
import { CHANNEL } from './change-settings.ts'
import type { Settings } from './definitions.ts'
import { completed } from './values.ts'

/** The application settings as this process knows them: the same frozen object until something changes. */
export type SettingsView = Watched<Settings>

export interface SettingsOptions {
  readonly db: Db
  readonly listener: Listener
  /** Told when they could not be read again. */
  readonly onError?: (error: unknown) => void
}

/** The settings as the database has them now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['name', 'value']).orderBy('name').execute()
  return completed(new Map(rows.map(({ name, value }) => [name, value])))
}

/** Reads the settings and keeps them up to date, also when they change in other processes. */
export function openSettings({ db, ...options }: SettingsOptions): Promise<SettingsView> {
  return watch({ ...options, channel: CHANNEL, read: () => readSettings(db) })
}
