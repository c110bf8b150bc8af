import { type Static, Type } from 'typebox'
import { entity, list } from '#platform/http/schema.ts'
import { keyColumns, type KeyRow, presentKey, SshKey } from '#identity/keys/entity.ts'
import type { EnabledProject } from './enabled-projects.ts'
import { presentProjectIdentity, projectIdentity } from '#identity/namespaces/project-identity.ts'

/** A project in which a deploy key is enabled. */
export const ProjectIdentity = entity('ProjectIdentity', projectIdentity)

const projects = (may: string) =>
  list(ProjectIdentity, {
    description: `Projects that you can see and that the key may ${may}. At most 100 projects of each key are shown.`,
  })

/** A deploy key as the API presents it. */
export const DeployKey = entity('DeployKey', {
  ...SshKey.properties,
  key: Type.String({ description: 'The public key.' }),
  fingerprint: Type.String({ description: 'MD5.' }),
  fingerprint_sha256: Type.String(),
  projects_with_write_access: projects('push to'),
  projects_with_readonly_access: projects('only read'),
})

/** A deploy key in one project. */
export const ProjectDeployKey = entity('ProjectDeployKey', {
  ...DeployKey.properties,
  can_push: Type.Boolean(),
})

export interface DeployKeyRow extends KeyRow {
  readonly fingerprint: string
  readonly fingerprint_sha256: string
  readonly public: boolean
}

/** A deploy key, and that it is enabled in a project. */
export interface ProjectDeployKeyRow extends DeployKeyRow {
  readonly can_push: boolean
  /** When it was last enabled or changed there. */
  readonly updated_at: string
}

export const deployKeyColumns = [...keyColumns, 'fingerprint', 'fingerprint_sha256', 'public'] as const

/** @param enabled where these keys are enabled, as far as the viewer may see. */
export function presentDeployKey(
  row: DeployKeyRow,
  enabled: readonly EnabledProject[],
): Static<typeof DeployKey> {
  const projectsThat = (mayPush: boolean) =>
    enabled
      .filter((one) => one.key_id === row.id && one.can_push === mayPush)
      .map((project) => presentProjectIdentity(project))
  return {
    ...presentKey(row),
    fingerprint: row.fingerprint,
    fingerprint_sha256: row.fingerprint_sha256,
    projects_with_write_access: projectsThat(true),
    projects_with_readonly_access: projectsThat(false),
  }
}

export function presentProjectDeployKey(
  row: ProjectDeployKeyRow,
  enabled: readonly EnabledProject[],
): Static<typeof ProjectDeployKey> {
  return { ...presentDeployKey(row, enabled), can_push: row.can_push }
}
