import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, eventForEach, role, until, user } from '#platform/facts/audited.ts'

interface Membership {
  readonly access_level: number
  readonly expires_at: string | null
}

export const memberFacts = {
  'member added': fact<Membership & { user_id: number }>(),
  'member changed': fact<Membership & { user_id: number; before: Membership }>(),
  /** `below`: the namespaces in which memberships ended along with this one; `expired`: because its last day was over. */
  'member removed': fact<{ user_id: number; below: readonly number[]; expired?: true }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof memberFacts> {}
}

export const auditedMember: AuditedFacts = {
  'member added': event('member_created', ({ details }) => ({
    target: user(details.user_id),
    details: {
      add: 'user_access',
      as: role(details.access_level),
      custom_message: `Became a member ${until(details.expires_at)}`,
    },
  })),
  'member changed': eventForEach(['member_updated'], function* ({ details: { before, ...now } }) {
    const common = { event: 'member_updated', target: user(now.user_id) }
    const [from, to] = [role(before.access_level), role(now.access_level)]
    if (from !== to) yield { ...common, details: { change: 'access_level', from, to } }
    if (before.expires_at === now.expires_at) return
    yield { ...common, details: { change: 'expiry', from: before.expires_at, to: now.expires_at } }
  }),
  'member removed': eventForEach(
    ['member_destroyed'],
    function* ({ namespace, details: { user_id, below } }) {
      for (const id of namespace === null ? below : [namespace, ...below]) {
        const entity = { namespace: id }
        yield { event: 'member_destroyed', entity, target: user(user_id), details: { remove: 'user_access' } }
      }
    },
  ),
}
