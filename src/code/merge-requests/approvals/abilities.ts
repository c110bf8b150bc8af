import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { atLeast, both, signedIn, unlessArchived } from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'

export const approvalAbilities = {
  project: {
    /** Rules may name people below Developer; approve.ts asks them. */
    approve_merge_request: inProjectFeature(
      'merge_requests',
      inProjectFeature('repository', unlessArchived(both(codeReaders, signedIn))),
    ),
    /** Change how many approvals merge requests of the project need, and whose. */
    admin_approval_rule: unlessArchived(atLeast('maintainer')),
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof approvalAbilities.project> {}
}
