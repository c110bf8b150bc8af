import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import type { Rule } from '#platform/access/access-context.ts'

const administrators: Rule = (s) => s.admin

export const storageMoveAbilities = {
  project: {
    /** See and schedule moves of its repositories to another storage. */
    move_repository_storage: administrators,
  },
  group: {
    /** See and schedule moves of its wiki to another storage. */
    move_repository_storage: administrators,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof storageMoveAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof storageMoveAbilities.group> {}
}
