import { type Static, Type } from 'typebox'
import { runnerStatuses, runnerTypes } from '#code/jobs/runner.ts'
import { statuses } from '#code/pipelines/entity.ts'
import type { CiRunnerAccess, CiRunnerType, CiStatus } from '#platform/db/schema.ts'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import {
  ById,
  emptiable,
  flag,
  integer,
  list,
  MAX_INT4,
  nullable,
  oneOf,
  rules,
  secret,
  text,
} from '#platform/http/schema.ts'
import { runnerJobOrder } from './order.ts'

export const ByRunner = Type.Object({ id: integer({ description: 'The id of a runner.' }) })
export const ByProjectRunner = Type.Object({ ...ById.properties, runner_id: integer() })

const deprecatedFlag = (description: string) => Type.Boolean({ description, deprecated: true })
const note = nullable(text({ max: 1024 }))
const common = {
  description: nullable(text({ max: 1024 })),
  paused: flag({ description: 'Whether the runner gets no new jobs.' }),
  active: deprecatedFlag('The opposite of `paused`.'),
  locked: flag({ description: 'Whether only administrators enable the runner for further projects.' }),
  run_untagged: flag({ description: 'Whether the runner takes jobs without tags.' }),
  tag_list: emptiable(text(), { max: 50, description: 'The runner takes jobs that have no other tags.' }),
  access_level: oneOf<CiRunnerAccess>(['not_protected', 'ref_protected'], {
    description: '`ref_protected` for jobs of protected branches and tags only.',
  }),
  maximum_timeout: nullable(integer({ maximum: MAX_INT4, description: 'In seconds, at least 600.' })),
  maintenance_note: note,
}
const optional = Type.Partial(Type.Object(common)).properties
const eitherFlag = ['active', 'paused']

export const NewRunner = Type.Object({
  runner_type: oneOf<CiRunnerType>(runnerTypes),
  group_id: Type.Optional(integer({ description: 'Of a runner for a group, that group.' })),
  project_id: Type.Optional(integer({ description: 'Of a runner for projects, the project that owns it.' })),
  ...Type.Omit(Type.Object(optional), ['active']).properties,
})

export const RunnerChanges = Type.Object(
  optional,
  rules({ atLeastOneOf: Object.keys(common), mutuallyExclusive: eitherFlag }),
)

/** What a runner tells of itself. */
export const RunnerInfo = Type.Object({
  name: Type.Optional(nullable(text({ max: 255, description: 'Not kept.' }))),
  version: Type.Optional(nullable(text({ max: 2048 }))),
  revision: Type.Optional(nullable(text({ max: 255 }))),
  platform: Type.Optional(nullable(text({ max: 255 }))),
  architecture: Type.Optional(nullable(text({ max: 255 }))),
  executor: Type.Optional(nullable(text({ max: 255 }))),
})

const token = secret({ max: 255 })
/** How a manager of a runner names itself. */
export const systemId = text({ max: 64, description: 'The name that the program has given itself.' })

export const RunnerToken = Type.Object({ token })
export const VerifiedRunner = Type.Object({ token, system_id: Type.Optional(systemId) })
export const RemovedManager = Type.Object({ token, system_id: systemId })
export const RegisteredRunner = Type.Object(
  {
    token,
    ...optional,
    info: Type.Optional(RunnerInfo),
    maintainer_note: Type.Optional(Type.Unsafe<string | null>({ ...note, deprecated: true })),
  },
  rules({ mutuallyExclusive: eitherFlag, excludes: { maintainer_note: ['maintenance_note'] } }),
)

export const ProjectRunner = Type.Object({ runner_id: integer() })

const filters = {
  ...pageParameters,
  type: Type.Optional(oneOf<CiRunnerType>(runnerTypes)),
  status: Type.Optional(
    oneOf([...runnerStatuses, 'not_connected', 'active', 'paused'], {
      description:
        '`offline` are also those that are stale. `not_connected` is `never_contacted`. `active` and `paused` are deprecated: use `paused`.',
    }),
  ),
  paused: Type.Optional(flag()),
  tag_list: Type.Optional(list(text(), { max: 50, comma: true, description: 'Runners with all of these.' })),
  version_prefix: Type.Optional(
    Type.String({ maxLength: 64, pattern: '^[0-9+.]+', description: 'As `17.` or `16.11`.' }),
  ),
}
const scope = <const T extends string>(words: readonly T[]) =>
  Type.Optional(
    Type.Unsafe<T>({
      ...oneOf(words, { description: 'Use `type`, `status` or `paused`.' }),
      deprecated: true,
    }),
  )

const scopes = ['active', 'paused', ...runnerStatuses, ...runnerTypes] as const
export const GroupRunnersFilter = Type.Object(filters)
export const RunnersFilter = Type.Object({ ...filters, scope: scope(scopes) })
export const AllRunnersFilter = Type.Object({ ...filters, scope: scope(['specific', 'shared', ...scopes]) })
export type RunnerFilter = Omit<Static<typeof AllRunnersFilter>, keyof typeof pageParameters>

export const RunnerJobsFilter = Type.Object({
  ...orderParameters(runnerJobOrder),
  status: Type.Optional(oneOf<CiStatus>(statuses)),
  system_id: Type.Optional(systemId),
})
export const Pages = Type.Object(pageParameters)

/** What a request says of a runner. */
export type GivenAttributes = Partial<Static<typeof RunnerChanges>>
