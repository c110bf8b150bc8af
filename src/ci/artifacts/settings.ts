import { count, flag, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const artifactSettings = {
  max_artifacts_size: setting(
    count(),
    100,
    'The maximum size of the artifacts of a job, in megabytes; projects may have another one.',
  ),
  default_artifacts_expire_in: setting(
    text({ max: 4096 }),
    '30 days',
    'How long artifacts are kept whose job says nothing else; 0 means for ever.',
  ),
  keep_latest_artifact: setting(
    flag(),
    true,
    'Whether the artifacts of the latest pipeline that has passed are kept for each branch and tag.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof artifactSettings> {}
}
