import { checkAccessSettings } from './access-settings.ts'
import { protectionOf } from './branch-protection.ts'
import type { GroupChanges } from './parameters.ts'
import { type GroupSettings, settingsOf } from './group-settings.ts'
import type { Json } from '#platform/db/schema.ts'

/**
 * The settings that a request changes. Settings that have two names or forms are merged into one.
 * @throws 400 as {@link checkAccessSettings}
 */
export function settingsFrom(parameters: GroupChanges, stored: Json = {}): Partial<GroupSettings> {
  const {
    name: _name,
    path: _path,
    description: _description,
    visibility: _visibility,
    avatar: _avatar,
    emails_disabled,
    default_branch_protection: number,
    default_branch_protection_defaults: parts,
    ...settings
  } = parameters
  const changes: Partial<GroupSettings> = checkAccessSettings(settings)
  if (emails_disabled !== undefined) changes.emails_enabled ??= !emails_disabled
  if (number === undefined && parts === undefined) return changes
  const before = settingsOf(stored).default_branch_protection_defaults
  const whole = number === undefined ? before : protectionOf(number)
  return { ...changes, default_branch_protection_defaults: { ...whole, ...parts } }
}
