import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Deployments, DeploymentStatus, DeploymentTier } from '#platform/db/schema.ts'
import { Job } from '#code/jobs/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import {
  EnvironmentBasic,
  type EnvironmentBasicRow,
  presentEnvironmentBasic,
} from '../environments/entity.ts'
import {
  type ApprovalFields,
  approvalFields,
  noApprovals,
} from '../protected-environments/approval-fields.ts'

export const statuses = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'blocked',
] as const satisfies readonly DeploymentStatus[]

const fields = {
  id: integer(),
  iid: integer(),
  ref: Type.String(),
  sha: Type.String(),
  created_at: moment(),
  updated_at: moment(),
  user: nullable(UserBasic),
}
const rest = {
  deployable: nullable(Job),
  status: oneOf<DeploymentStatus>(statuses),
}

/** A deployment where the environment is known. */
export const LastDeployment = entity('LastDeployment', { ...fields, ...rest })

export const Deployment = entity('Deployment', {
  ...fields,
  environment: EnvironmentBasic,
  ...rest,
  ...approvalFields,
})

/** The columns of `deployments`. */
export const deploymentColumns = [
  'id',
  'project_id',
  'environment_id',
  'iid',
  'sha',
  'ref',
  'tag',
  'status',
  'user_id',
  'created_at',
  'updated_at',
  'finished_at',
] as const

export type DeploymentRow = Selectable<Deployments>

/** The environment of a deployment, as far as answers need it. */
export interface ShownEnvironment extends EnvironmentBasicRow {
  readonly tier: DeploymentTier
}

/** A deployment with everything that presenting it needs. */
export interface ShownRow extends DeploymentRow {
  readonly user: UserBasicRow | null
  readonly environment: ShownEnvironment
}

/**
 * A deployment as a part of its environment.
 * @param deployable the job that made it
 */
export function presentLastDeployment(
  row: Omit<ShownRow, 'environment'>,
  site: string,
  deployable: Static<typeof Job> | undefined,
): Static<typeof LastDeployment> {
  return {
    id: row.id,
    iid: row.iid,
    ref: row.ref,
    sha: row.sha,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    user: row.user === null ? null : presentUserBasic(row.user, site),
    deployable: deployable ?? null,
    status: row.status,
  }
}

/**
 * @param deployable the job that made it
 * @param approvals what approvals add to it
 */
export function presentDeployment(
  row: ShownRow,
  site: string,
  deployable: Static<typeof Job> | undefined,
  approvals: ApprovalFields | undefined,
): Static<typeof Deployment> {
  return {
    ...presentLastDeployment(row, site, deployable),
    environment: presentEnvironmentBasic(row.environment),
    ...(approvals ?? noApprovals),
  }
}
