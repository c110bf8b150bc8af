import { count, hash, integer, MAX_INT4, nullable } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const repositorySettings = {
  repository_storages_weighted: setting(
    hash(integer({ minimum: 0, maximum: 100 })),
    { default: 100 },
    'How new repositories are distributed over the storages.',
  ),
  receive_max_input_size: setting(
    nullable(integer({ minimum: 1, maximum: MAX_INT4 })),
    5_120,
    'The maximum size of a push, in megabytes; null means no limit but the room on the disk.',
  ),
  push_event_activities_limit: setting(
    count(),
    3,
    'A push that changes more refs than this creates one activity event.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof repositorySettings> {}
}
