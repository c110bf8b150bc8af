import type { SshKeyUsage } from '#platform/db/schema.ts'
import { type AuditedFacts, event, namedTarget, whose } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

/** A key of `user_id`. */
interface Key {
  readonly title: string
  readonly fingerprint_sha256: string
  readonly user_id: number
}

export const keyFacts = {
  'SSH key added': fact<Key & { usage_type: SshKeyUsage }>(),
  /** The key itself is public. */
  'SSH key deleted': fact<Key & { key?: string }>(),
  /** It was tried so many times within a while, and nobody may use it, or nobody could prove to have it. Null for a deploy key. */
  'SSH key failed often': fact<Omit<Key, 'user_id'> & { user_id: number | null; times: number }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof keyFacts> {}
}

export const auditedKey: AuditedFacts = {
  'SSH key failed often': event('ssh_key_failed_often', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.title),
    details: {
      custom_message: `SSH key ${details.fingerprint_sha256} was refused ${details.times} times within ten minutes`,
    },
  })),
  'SSH key added': event('add_ssh_key', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.title),
    details: { add: 'SSH key', custom_message: `Added SSH key ${details.fingerprint_sha256}` },
  })),
  'SSH key deleted': event('remove_ssh_key', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.title),
    details: { remove: 'SSH key', custom_message: `Deleted SSH key ${details.fingerprint_sha256}` },
  })),
}
