import { count, flag } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const userSettings = {
  default_projects_limit: setting(count(), 100_000, 'The maximum number of personal projects of a new user.'),
  can_create_group: setting(flag(), true, 'Whether new users may create top-level groups.'),
  user_default_external: setting(flag(), false, 'Whether new users are external: they see nothing internal.'),
  signup_enabled: setting(flag(), false, 'Whether people may register themselves.', {
    fixed: 'people cannot register themselves yet',
  }),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof userSettings> {}
}
