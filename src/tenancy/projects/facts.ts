import { activity, fact, type DetailsOf, type Nothing, type Renamed } from '#platform/facts/definitions.ts'
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

export const projectFacts = {
  'project created': activity<{ path: string }>(),
  'project changed': fact<FieldChanges>(),
  'project renamed': activity<Renamed>(),
  'project transferred': activity<Renamed>(),
  'project archived': activity<{ path: string }>(),
  'project unarchived': activity<{ path: string }>(),
  'project shared': fact<{ group_id: number; access_level: number }>(),
  'project unshared': fact<{ group_id: number }>(),
  'project deleted': fact<{ path: string }>(),
  'project starred': fact<Nothing>(),
  'project unstarred': fact<Nothing>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof projectFacts> {}
}

/** Fields whose audit events have names of their own, which clients know. */
const projectFields: FieldNames = {
  visibility: 'project_visibility_level_updated',
  squash_option: 'squash_option_updated',
  merge_commit_template: 'merge_commit_template_updated',
  squash_commit_template: 'squash_commit_template_updated',
  allow_merge_on_skipped_pipeline: 'allow_merge_on_skipped_pipeline_updated',
  merge_pipelines_enabled: 'project_cicd_merge_pipelines_enabled_updated',
  merge_trains_enabled: 'project_cicd_merge_trains_enabled_updated',
}

export const auditedProject: AuditedFacts = {
  'project created': event('project_created', () => ({ details: { add: 'project' } })),
  'project changed': eventForEach(changeEventNames('project', projectFields), ({ details }) =>
    changeEvents('project', projectFields, details),
  ),
  'project renamed': event('project_path_updated', ({ details: { from, to } }) => ({
    details: { change: 'path', from, to },
  })),
  'project transferred': event('project_namespace_updated', ({ details: { from, to } }) => ({
    details: { change: 'namespace', from, to },
  })),
  'project archived': event('project_archived', () => says('Archived project')),
  'project unarchived': event('project_unarchived', () => says('Unarchived project')),
  'project shared': event('project_group_link_created', ({ details }) => ({
    target: group(details.group_id),
    details: { add: 'project_access', as: role(details.access_level) },
  })),
  'project unshared': event('project_group_link_deleted', ({ details }) => ({
    target: group(details.group_id),
    details: { remove: 'project_access' },
  })),
  'project deleted': event('project_destroyed', ({ target, details: { path } }) => ({
    ...(target && { entity: { type: 'Project', id: target.id, path } }),
    details: { remove: 'project' },
  })),
}
