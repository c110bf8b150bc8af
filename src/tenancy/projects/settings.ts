import type { Visibility } from '#platform/db/schema.ts'
import { count, flag, integer, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'
import { BranchProtection, numberOf, protectionOf } from '#tenancy/groups/branch-protection.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

const visibility = oneOf<Visibility>(['private', 'internal', 'public'])

export const projectSettings = {
  default_project_visibility: setting(visibility, 'private', 'The default visibility of projects.'),
  default_branch_name: setting(
    nullable(text({ max: 4096 })),
    null,
    'The name of the first branch of a new repository; null means main.',
  ),
  default_branch_protection: setting(
    integer({ minimum: 0, maximum: 4, deprecated: true }),
    2,
    'The older form of `default_branch_protection_defaults`: from 0 (not at all) to 4 (fully after the first push).',
  ),
  default_branch_protection_defaults: setting(
    BranchProtection,
    protectionOf(2),
    'How new default branches are protected, unless a group says otherwise.',
    {
      older: {
        name: 'default_branch_protection',
        fromOlder: (number) => protectionOf(Number(number)),
        toOlder: numberOf,
      },
    },
  ),

  default_snippet_visibility: setting(visibility, 'private', 'The default visibility of snippets.', {
    kept: true,
  }),
  container_registry_token_expire_delay: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    5,
    'Minutes until a registry token expires.',
    { kept: true },
  ),
  terminal_max_session_time: setting(
    count(),
    0,
    'The maximum length of a terminal session, in seconds; 0 means no limit.',
    { kept: true },
  ),
  plantuml_enabled: setting(flag(), false, 'Whether PlantUML diagrams are rendered.', { kept: true }),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof projectSettings> {}
}
