import type { TProperties } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { DeploymentTier } from '#platform/db/schema.ts'

/** The deployments that an answer shows. */
export interface ShownDeployment {
  readonly id: number
  readonly project_id: number
  readonly environment: { readonly name: string; readonly tier: DeploymentTier }
}

/** What approvals add to every deployment of an answer. */
export const approvalFields = {} satisfies TProperties

export interface ApprovalFields {}

/** What approvals add to deployments, by their ids. */
export async function approvalFieldsOf(
  _db: Db,
  _site: string,
  _deployments: readonly ShownDeployment[],
): Promise<ReadonlyMap<number, ApprovalFields>> {
  return new Map()
}
