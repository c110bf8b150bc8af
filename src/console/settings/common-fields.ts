import { memberLevels, roleTitles } from '#platform/access/roles.ts'
import type { Action } from '../frame/action.ts'
import type { Field, Option } from '../frame/fields.ts'

/** Who may see a project or group. */
export const visibilityField = (value: string): Field => ({
  name: 'visibility',
  label: 'Visible for',
  is: 'choice',
  value,
  options: [
    { value: 'private', label: 'Members (private)' },
    { value: 'internal', label: 'Everybody who is signed in (internal)' },
    { value: 'public', label: 'Everybody (public)' },
  ],
})

/** Roles that members have. */
export const roles: readonly Option[] = memberLevels.map((level) => ({
  value: String(level),
  label: roleOf(level),
}))

export function roleOf(level: number): string {
  return roleTitles[level] ?? `Level ${level}`
}

/** The same action with other parameters. */
const changed =
  (action: Action, change: (name: string, value: unknown) => unknown): Action =>
  (api, parameters, seen) =>
    action(
      api,
      Object.fromEntries(
        Object.entries(parameters).flatMap(([name, value]) => {
          const after = change(name, value)
          return after === undefined ? [] : [[name, after]]
        }),
      ),
      seen,
    )

/** The same action without what was left empty of these fields: the API takes what is usual. */
export const withoutEmpty = (action: Action, ...names: readonly string[]): Action =>
  changed(action, (name, value) => (names.includes(name) && value === '' ? undefined : value))

/** The same action with nothing in the place of what was left empty of these fields. */
export const emptyAsNull = (action: Action, ...names: readonly string[]): Action =>
  changed(action, (name, value) => (names.includes(name) && value === '' ? null : value))

/** The same action with what was chosen of the words of a list. */
export const withChosen = (action: Action): Action =>
  changed(action, (_, value) => (Array.isArray(value) ? value.filter((one) => one !== '') : value))
