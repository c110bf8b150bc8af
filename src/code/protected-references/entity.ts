import { type Static, Type } from 'typebox'
import type { ProtectedAction } from '#platform/db/schema.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import type { Grantee, ProtectedReference } from './rows.ts'

/** Who may do something with a protected branch or tag. */
export const AccessLevelEntry = entity('ProtectedAccess', {
  id: integer(),
  access_level: nullable(integer({ description: 'The lowest level, 0 for nobody, 60 for administrators.' })),
  access_level_description: Type.String(),
  user_id: nullable(integer()),
  group_id: nullable(integer()),
})

/** Levels in the words that clients show. */
const titles: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
}

export const titleOf = ({ access_level, name }: Pick<Grantee, 'access_level'> & { name: string | null }) =>
  access_level === null ? (name ?? '') : (titles[access_level] ?? String(access_level))

/** Those who may do one thing. */
export function presentGrants(
  { grants }: Pick<ProtectedReference, 'grants'>,
  action: ProtectedAction,
): Static<typeof AccessLevelEntry>[] {
  return grants
    .filter((grant) => grant.action === action)
    .map((grant) => ({
      id: grant.id,
      access_level: grant.access_level,
      access_level_description: titleOf(grant),
      user_id: grant.user_id,
      group_id: grant.group_id,
    }))
}

/** Who may do what, in words for the audit. */
export function inWords({ grants }: Pick<ProtectedReference, 'grants'>): string {
  const byAction = new Map<ProtectedAction, string[]>()
  for (const grant of grants) {
    byAction.set(grant.action, [...(byAction.get(grant.action) ?? []), titleOf(grant)])
  }
  return [...byAction].map(([action, titles]) => `${action} ${titles.join(', ')}`).join('; ')
}
