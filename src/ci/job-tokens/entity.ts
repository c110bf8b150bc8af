import { type Static, Type } from 'typebox'
import {
  presentProjectIdentity,
  projectIdentity,
  type ProjectIdentityRow,
} from '#identity/namespaces/project-identity.ts'
import { entity, integer } from '#platform/http/schema.ts'

/** Which jobs a project lets in. */
export const JobTokenScope = entity('JobTokenScope', {
  inbound_enabled: Type.Boolean({
    description: 'Whether only jobs of the allow-list are let in; otherwise all are.',
  }),
  outbound_enabled: Type.Boolean({ deprecated: true, description: 'Always false.' }),
})

/** A project in an allow-list. */
export const AllowedProject = entity('AllowedProject', { ...projectIdentity, web_url: Type.String() })

export const presentAllowedProject = (
  row: ProjectIdentityRow,
  site: string,
): Static<typeof AllowedProject> => ({
  ...presentProjectIdentity(row),
  web_url: `${site}/${row.full_path}`,
})

export const ProjectLink = entity('JobTokenProjectLink', {
  source_project_id: integer({ description: 'The project with the allow-list.' }),
  target_project_id: integer(),
})

export const GroupLink = entity('JobTokenGroupLink', {
  source_project_id: integer({ description: 'The project with the allow-list.' }),
  target_group_id: integer(),
})
