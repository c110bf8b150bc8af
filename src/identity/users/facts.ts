import { fact, type DetailsOf, type Renamed } from '#platform/facts/definitions.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  says,
  type FieldNames,
} from '#platform/facts/audited.ts'

export const userFacts = {
  'user created': fact<{ username: string }>(),
  'user changed': fact<FieldChanges>(),
  'user blocked': fact<{ username: string }>(),
  'user unblocked': fact<{ username: string }>(),
  'user banned': fact<{ username: string }>(),
  'user unbanned': fact<{ username: string }>(),
  'user activated': fact<{ username: string }>(),
  'user deactivated': fact<{ username: string }>(),
  'user approved': fact<{ username: string }>(),
  'user renamed': fact<Renamed>(),
  /** The user's name at an identity provider; null for none. */
  'user identity changed': fact<{ provider: string; from: string | null; to: string | null }>(),
  'user deleted': fact<{ username: string; contributions_deleted: boolean }>(),
  /** Ends all sessions but the one in which the password changed, if any. */
  'user password changed': fact<{ kept_session_id: number | null }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof userFacts> {}
}

/** Fields whose audit events have names of their own, which clients know. */
const userFields: FieldNames = { admin: 'user_admin_status_updated', email: 'user_email_address_updated' }

export const auditedUser: AuditedFacts = {
  'user created': event('user_created', () => ({ details: { add: 'user' } })),
  'user changed': eventForEach(changeEventNames('user', userFields), ({ details }) =>
    changeEvents('user', userFields, details),
  ),
  'user blocked': event('user_blocked', () => says('Blocked user')),
  'user unblocked': event('unblock_user', () => says('Unblocked user')),
  'user banned': event('ban_user', () => says('Banned user')),
  'user unbanned': event('unban_user', () => says('Unbanned user')),
  'user activated': event('user_activate', () => says('Activated user')),
  'user deactivated': event('user_deactivate', () => says('Deactivated user')),
  'user approved': event('user_approved', () => says('Approved user')),
  'user renamed': event('user_username_updated', ({ details: { from, to } }) => ({
    details: { change: 'username', from, to },
  })),
  'user identity changed': event('user_identity_updated', ({ details: { provider, from, to } }) => ({
    details: { change: `identity at ${provider}`, from, to },
  })),
  'user deleted': event('user_destroyed', () => ({ details: { remove: 'user' } })),
  'user password changed': event('user_password_updated', () => ({ details: { change: 'password' } })),
}
