import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, unlessArchived } from '#platform/access/access-context.ts'

export const jobTokenAbilities = {
  project: {
    read_job_token_scope: atLeast('maintainer'),
    admin_job_token_scope: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof jobTokenAbilities.project> {}
}
