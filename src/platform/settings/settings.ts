import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Watched, watch } from '#platform/db/watched.ts'
import { SETTINGS_CHANNEL } from './change-settings.ts'
import type { Settings } from './definitions.ts'
import { completed } from './values.ts'

/** The application settings as this process knows them: the same frozen object until something changes. */
export type SettingsView = Watched<Settings>

export interface SettingsOptions {
  readonly db: Db
  readonly listener: Listener
  /** Called when reloading failed. */
  readonly onError?: (error: unknown) => void
}

/** The settings as the database has them now. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['name', 'value']).orderBy('name').execute()
  return completed(new Map(rows.map(({ name, value }) => [name, value])))
}

/** Reads the settings and keeps them current, also when other processes change them. */
export function openSettings({ db, ...options }: SettingsOptions): Promise<SettingsView> {
  return watch({ ...options, channel: SETTINGS_CHANNEL, read: () => readSettings(db) })
}
