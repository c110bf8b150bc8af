import { type Static, Type } from 'typebox'
import { entity, flag, nullable, oneOf } from '#platform/http/schema.ts'
import { type ChosenEvents, customEvents, licensedEvents, notificationLevels, sentWhen } from './events.ts'
import type { GlobalRow, SettingsRow } from './queries.ts'

const level = oneOf(notificationLevels, {
  description:
    'In a project or group, `global` stands for the settings above it and at last the global ones.',
})

const events = Type.Optional(
  Type.Object(
    Object.fromEntries(
      customEvents.map((name) => [
        name,
        Type.Optional(nullable(flag({ description: `Sent when ${sentWhen[name]}.` }))),
      ]),
    ),
    { description: 'Only while the level is `custom`. Null: nothing was chosen, and the default counts.' },
  ),
)

/** The settings for everywhere. */
export const GlobalNotificationSettings = entity('GlobalNotificationSettings', {
  level,
  notification_email: Type.String({ description: 'Where mails go.' }),
  notified_of_own_activity: flag({ description: 'Whether you are told of what you do yourself.' }),
  events,
})

/** The settings in a project or group. */
export const NotificationSettings = entity('NotificationSettings', { level, events })

/** @param licensed as that of {@link presentSettings} */
export const presentGlobal = (
  row: GlobalRow,
  licensed: boolean,
): Static<typeof GlobalNotificationSettings> => ({
  level: row.level,
  notification_email: row.email,
  notified_of_own_activity: row.own_activity,
  ...(row.level === 'custom' && { events: presentEvents(row.events, licensed) }),
})

/** @param licensed whether the instance has the plan of the events that need one. */
export function presentSettings(
  row: SettingsRow | undefined,
  licensed: boolean,
): Static<typeof NotificationSettings> {
  const { level: chosen, events: stored } = row ?? { level: 'global', events: {} }
  return chosen === 'custom' ? { level: chosen, events: presentEvents(stored, licensed) } : { level: chosen }
}

function presentEvents(stored: ChosenEvents, licensed: boolean): Record<string, boolean | null> {
  const shown = customEvents.filter((name) => licensed || !licensedEvents.has(name))
  return Object.fromEntries(shown.map((name) => [name, stored[name] ?? null]))
}
