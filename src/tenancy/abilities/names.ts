import { allAbilities } from '#platform/access/abilities.ts'
import type { AccessContext, Rule } from '#platform/access/access-context.ts'

/** The names of the abilities that a caller has in a project. */
export const projectAbilities = (context: AccessContext): string[] => namesOf(allAbilities().project, context)

/** The same in a group. */
export const groupAbilities = (context: AccessContext): string[] => namesOf(allAbilities().group, context)

const namesOf = (rules: Readonly<Record<string, Rule>>, context: AccessContext): string[] =>
  Object.entries(rules).flatMap(([name, rule]) => (rule(context) ? [name] : []))
