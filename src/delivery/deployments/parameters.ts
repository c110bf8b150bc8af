import { type Static, Type } from 'typebox'
import { WithPermissions } from '#code/pipelines/entity.ts'
import type { DeploymentStatus } from '#platform/db/schema.ts'
import { badRequest } from '#platform/refusals.ts'
import { orderParameters } from '#platform/http/order.ts'
import { ById, flag, integer, moment, oneOf, text } from '#platform/http/schema.ts'
import { statuses } from './entity.ts'
import { deploymentOrder } from './order.ts'

export const ByDeployment = Type.Object({ ...ById.properties, deployment_id: integer() })

export const DeploymentFilter = Type.Object({
  ...orderParameters(deploymentOrder),
  environment: Type.Optional(text({ description: 'The whole name of the environment.' })),
  status: Type.Optional(oneOf<DeploymentStatus>(statuses)),
  updated_after: Type.Optional(moment()),
  updated_before: Type.Optional(moment()),
  finished_after: Type.Optional(
    moment({ description: 'Needs `order_by=finished_at` and `status=success`, as `finished_before` does.' }),
  ),
  finished_before: Type.Optional(moment()),
  ...WithPermissions.properties,
})

/** What programs that deploy may say of a deployment. */
const settableStatuses = ['running', 'success', 'failed', 'canceled'] as const
export type SettableStatus = (typeof settableStatuses)[number]

export const NewDeployment = Type.Object({
  environment: text({ filled: true, description: 'The name of the environment, which is made if need be.' }),
  sha: text({ filled: true, description: 'The commit that is deployed.' }),
  ref: text({ filled: true, description: 'The branch or tag that is deployed.' }),
  tag: flag({ description: 'Whether `ref` is a tag.' }),
  status: oneOf<SettableStatus>(settableStatuses),
})

export const DeploymentChanges = Type.Object({ status: oneOf<SettableStatus>(settableStatuses) })

/** The combinations of filters for which there is an index. @throws 400 for others */
export function assertPaired(filter: Static<typeof DeploymentFilter>): void {
  const byUpdate = filter.updated_after !== undefined || filter.updated_before !== undefined
  const byEnd = filter.finished_after !== undefined || filter.finished_before !== undefined
  if (byUpdate && byEnd) throw badRequest('filter by `updated_at` or by `finished_at`, not by both')
  if (byEnd !== (filter.order_by === 'finished_at'))
    throw badRequest('`finished_at` filter and `finished_at` sorting must be paired')
  if (byEnd && filter.status !== 'success')
    throw badRequest('`finished_at` filter must be combined with `success` status filter.')
}
