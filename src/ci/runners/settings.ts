import { count, flag, list, nullable, oneOf } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

const lifetime = (whose: string) =>
  setting(
    nullable(count()),
    null,
    `How long tokens of ${whose} are valid, in seconds, from when they are made; null means without an end.`,
  )

export const runnerSettings = {
  allow_runner_registration_token: setting(
    flag(),
    true,
    'Whether runners may register themselves with a registration token.',
  ),
  valid_runner_registrars: setting(
    list(oneOf(['project', 'group']), { max: 10 }),
    ['project', 'group'],
    'Where registration tokens of projects and groups are heard.',
  ),
  runner_token_expiration_interval: lifetime('runners for the instance'),
  group_runner_token_expiration_interval: lifetime('runners for groups'),
  project_runner_token_expiration_interval: lifetime('runners for projects'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof runnerSettings> {}
}
