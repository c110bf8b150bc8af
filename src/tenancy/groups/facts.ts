import { fact, type DetailsOf, type Renamed } from '#platform/facts/definitions.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  says,
  role,
  group,
  type FieldNames,
} from '#platform/facts/audited.ts'

export const groupFacts = {
  'group created': fact<{ path: string }>(),
  'group changed': fact<FieldChanges>(),
  'group renamed': fact<Renamed>(),
  'group transferred': fact<Renamed>(),
  'group archived': fact<{ path: string }>(),
  'group unarchived': fact<{ path: string }>(),
  'group shared': fact<{ group_id: number; access_level: number }>(),
  'group unshared': fact<{ group_id: number }>(),
  'group deleted': fact<{ path: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof groupFacts> {}
}

/** Fields whose audit events have names of their own, which clients know. */
const groupFields: FieldNames = { visibility: 'group_visibility_level_updated' }

export const auditedGroup: AuditedFacts = {
  'group created': event('group_created', () => ({ details: { add: 'group' } })),
  'group changed': eventForEach(changeEventNames('group', groupFields), ({ details }) =>
    changeEvents('group', groupFields, details),
  ),
  'group renamed': event('group_path_updated', ({ details: { from, to } }) => ({
    details: { change: 'path', from, to },
  })),
  'group transferred': event('group_transferred', ({ details: { from, to } }) => ({
    details: { change: 'namespace', from, to },
  })),
  'group archived': event('group_archived', () => says('Archived group')),
  'group unarchived': event('group_unarchived', () => says('Unarchived group')),
  'group shared': event('group_share_with_group_link_created', ({ details }) => ({
    target: group(details.group_id),
    details: { add: 'group_access', as: role(details.access_level) },
  })),
  'group unshared': event('group_share_with_group_link_removed', ({ details }) => ({
    target: group(details.group_id),
    details: { remove: 'group_access' },
  })),
  'group deleted': event('group_destroyed', ({ target, details: { path } }) => ({
    ...(target && { entity: { type: 'Group', id: target.id, path } }),
    details: { remove: 'group' },
  })),
}
