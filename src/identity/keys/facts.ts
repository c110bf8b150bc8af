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
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof keyFacts> {}
}

export const auditedKey: AuditedFacts = {
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
