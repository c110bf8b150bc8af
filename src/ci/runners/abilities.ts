import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

/** Runners are for those who set pipelines up. What somebody may do with one runner is in policy.ts. */
export const runnerAbilities = {
  project: {
    read_project_runner: atLeast('maintainer'),
    /** Making runners for the project, and letting others' runners serve it. */
    admin_project_runner: unlessArchived(atLeast('maintainer')),
    remove_project_runner: atLeast('maintainer'),
  },
  group: {
    read_group_runner: atLeast('owner'),
    admin_group_runner: unlessArchived(atLeast('owner')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof runnerAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof runnerAbilities.group> {}
}
