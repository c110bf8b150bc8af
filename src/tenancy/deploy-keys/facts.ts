import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

interface Key {
  readonly title: string
  readonly fingerprint_sha256: string
}

export const deployKeyFacts = {
  /** To a project or, with `can_push` null, to the instance. */
  'deploy key added': fact<Key & { can_push: boolean | null }>(),
  'deploy key changed': fact<FieldChanges & { title: string }>(),
  /** From a project. */
  'deploy key removed': fact<Key>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof deployKeyFacts> {}
}

const may = { true: ', which may push', false: ', which may read', null: ', which every project may enable' }

export const auditedDeployKey: AuditedFacts = {
  'deploy key added': event('deploy_key_added', ({ target, details }) => ({
    ...namedTarget(target, details.title),
    details: {
      add: 'deploy key',
      custom_message: `Added deploy key ${details.fingerprint_sha256}${may[`${details.can_push}`]}`,
    },
  })),
  'deploy key changed': eventForEach(changeEventNames('deploy_key', {}), ({ target, details }) =>
    changeEvents('deploy_key', {}, details, namedTarget(target, details.title)),
  ),
  'deploy key removed': event('deploy_key_removed', ({ target, details }) => ({
    ...namedTarget(target, details.title),
    details: { remove: 'deploy key', custom_message: `Removed deploy key ${details.fingerprint_sha256}` },
  })),
}
