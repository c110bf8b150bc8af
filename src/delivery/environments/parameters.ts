import { Type } from 'typebox'
import type { AutoStopSetting, DeploymentTier, EnvironmentState } from '#platform/db/schema.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, moment, nullable, oneOf, rules, text } from '#platform/http/schema.ts'
import { autoStopSettings, states } from './entity.ts'
import { tiers } from './tier.ts'

export const ByEnvironment = Type.Object({ ...ById.properties, environment_id: integer() })

export const EnvironmentFilter = Type.Object(
  {
    ...pageParameters,
    name: Type.Optional(text({ description: 'The whole name.' })),
    search: Type.Optional(text({ description: 'Part of the name, at least 3 characters.' })),
    states: Type.Optional(oneOf<EnvironmentState>(states, { description: 'All by default.' })),
  },
  rules({ mutuallyExclusive: ['name', 'search'] }),
)

/** Parameters of clusters. */
export const noClusters = {
  cluster_agent_id: 'there are no agents of clusters yet',
  kubernetes_namespace: 'there are no agents of clusters yet',
  flux_resource_path: 'there are no agents of clusters yet',
} as const

const attributes = {
  external_url: Type.Optional(nullable(text({ description: 'Where the environment is.' }))),
  tier: Type.Optional(oneOf<DeploymentTier>(tiers, { description: 'Guessed from the name by default.' })),
  description: Type.Optional(nullable(text({ max: 10_000 }))),
  auto_stop_at: Type.Optional(
    nullable(moment({ description: 'When the environment stops by itself; null for never.' })),
  ),
  auto_stop_setting: Type.Optional(
    oneOf<AutoStopSetting>(autoStopSettings, {
      description: 'Whether it stops at `auto_stop_at` in any case, or only where a job does it (`on_stop`).',
    }),
  ),
  cluster_agent_id: Type.Optional(nullable(integer(refusedParameter(noClusters.cluster_agent_id)))),
  kubernetes_namespace: Type.Optional(nullable(text(refusedParameter(noClusters.kubernetes_namespace)))),
  flux_resource_path: Type.Optional(nullable(text(refusedParameter(noClusters.flux_resource_path)))),
}

export const NewEnvironment = Type.Object({
  name: text({ filled: true, description: 'Letters, digits, spaces and `-_/${}.`, but no `/` at its ends.' }),
  ...attributes,
})

export const EnvironmentChanges = Type.Object(attributes)

export const StopParameters = Type.Object({
  force: flag({
    default: false,
    description: 'Stops it at once, without the job that would have to run before.',
  }),
})

/** The most review apps that one request deletes. */
const MAX_REVIEW_APPS = 1000

export const ReviewAppFilter = Type.Object({
  before: Type.Optional(moment({ description: 'Created before this moment; by default 30 days ago.' })),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_REVIEW_APPS,
    default: 100,
    description: 'How many at most.',
  }),
  dry_run: flag({ default: true, description: 'Only shows them.' }),
})
