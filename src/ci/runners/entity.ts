import { type Static, Type } from 'typebox'
import { presentRunner, Runner, type RunnerRow } from '#code/jobs/runner.ts'
import {
  presentProjectIdentity,
  projectIdentity,
  type ProjectIdentityRow,
} from '#identity/namespaces/project-identity.ts'
import { InvitedGroup, presentInvitedGroup } from '#tenancy/groups/entity.ts'
import type { CiRunnerAccess } from '#platform/db/schema.ts'
import { entity, integer, list, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { isoOrNull } from '#platform/http/time.ts'

const ofManager = nullable(
  Type.String({ description: 'Of the manager that was heard of last.', deprecated: true }),
)

/** A runner with all that its administrators see. */
export const RunnerDetails = entity('RunnerDetails', {
  ...Runner.properties,
  tag_list: Type.Array(Type.String()),
  run_untagged: Type.Boolean(),
  locked: Type.Boolean(),
  maximum_timeout: nullable(integer({ description: 'In seconds.' })),
  access_level: oneOf<CiRunnerAccess>(['not_protected', 'ref_protected']),
  version: ofManager,
  revision: ofManager,
  platform: ofManager,
  architecture: ofManager,
  contacted_at: nullable(moment()),
  maintenance_note: nullable(Type.String()),
  projects: list(Type.Object(projectIdentity), {
    description: 'Those that it serves by itself and that you can see, at most 100.',
  }),
  groups: list(InvitedGroup, { description: 'Of a runner for a group, that group.' }),
})

/** A token that a runner has just got. Nobody can read it again. */
export const RunnerRegistration = entity('RunnerRegistration', {
  id: integer(),
  token: Type.String(),
  token_expires_at: nullable(moment()),
})

/** A new token in the place of another. */
export const ResetToken = entity('ResetToken', { token: Type.String(), token_expires_at: nullable(moment()) })

export interface ManagerProgram {
  readonly version: string | null
  readonly revision: string | null
  readonly platform: string | null
  readonly architecture: string | null
}

export interface RunnerDetailsRow extends RunnerRow {
  readonly tags: readonly string[]
  readonly run_untagged: boolean
  readonly locked: boolean
  readonly maximum_timeout: number | null
  readonly access_level: CiRunnerAccess
  readonly maintenance_note: string | null
  readonly manager: ManagerProgram | null
}

export interface RunnerPlaces {
  readonly projects: readonly ProjectIdentityRow[]
  readonly groups: readonly { readonly id: number; readonly full_path: string; readonly name: string }[]
}

export function presentRunnerDetails(
  row: RunnerDetailsRow,
  { projects, groups }: RunnerPlaces,
  { now, site }: { readonly now: string; readonly site: string },
): Static<typeof RunnerDetails> {
  const { version = null, revision = null, platform = null, architecture = null } = row.manager ?? {}
  return {
    ...presentRunner(row, { now, site }),
    tag_list: [...row.tags],
    run_untagged: row.run_untagged,
    locked: row.locked,
    maximum_timeout: row.maximum_timeout,
    access_level: row.access_level,
    version,
    revision,
    platform,
    architecture,
    contacted_at: isoOrNull(row.contacted_at),
    maintenance_note: row.maintenance_note,
    projects: projects.map((project) => presentProjectIdentity(project)),
    groups: groups.map((group) => presentInvitedGroup(group, site)),
  }
}
