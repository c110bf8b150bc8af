import type { Feature } from '#platform/feature.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import { lfsLockAbilities } from './abilities.ts'
import { lfsLockFacts } from './facts.ts'
import { lockRule } from './lock-rule.ts'
import { lfsLockRoutes } from './routes.ts'

/** Files that people lock with Git LFS: who may, who has, and that nobody else pushes changes of them. */
export const lfsLocks: Feature = {
  pages: [lfsLockRoutes],
  abilities: lfsLockAbilities,
  facts: lfsLockFacts,
  extensions: [referenceRules.with(lockRule)],
}
