import { Check } from 'typebox/schema'
import { definitionOf, definitions, type SettingName, type Settings } from './definitions.ts'

/** The names of all settings, in their order. */
export const settingNames = (): readonly SettingName[] => [...definitions().keys()].filter(isSettingName)

export function isSettingName(name: string): name is SettingName {
  return definitions().has(name)
}

/** Whether the setting of that name may have this value. */
export function isValue(name: SettingName, value: unknown): boolean {
  return Check(definitionOf(name).schema, value)
}

/** Whether a value is the default of the setting. */
export function isDefault(name: SettingName, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(definitionOf(name).default)
}

/**
 * Completes stored settings with defaults. Names unknown to this version are ignored. A value that it does not accept
 * counts as not set, so that a bad row never stops a server.
 */
export function completed(stored: ReadonlyMap<string, unknown>): Settings {
  const counts = (name: SettingName) =>
    stored.has(name) && definitionOf(name).fixed === undefined && isValue(name, stored.get(name))
  const values = settingNames().map((name) => {
    const { older, default: standard } = definitionOf(name)
    if (counts(name)) return [name, stored.get(name)] as const
    // An instance may have set the older form when there was no other.
    const isSetOlder = older !== undefined && isSettingName(older.name) && counts(older.name)
    return [name, isSetOlder ? older.fromOlder(stored.get(older.name)) : standard] as const
  })
  const settings: unknown = frozen(Object.fromEntries(values))
  if (!isComplete(settings)) throw new Error('A setting has a default that its own schema refuses')
  return settings
}

function isComplete(value: unknown): value is Settings {
  if (typeof value !== 'object' || value === null) return false
  const values = new Map(Object.entries(value))
  return settingNames().every((name) => isValue(name, values.get(name)))
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
