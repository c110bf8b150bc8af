import type { ProtectedAction } from '#platform/db/schema.ts'
import type { ReferenceChanger } from '#code/repositories/rules.ts'
import { matches } from './match.ts'
import type { Protection } from './rows.ts'

/** The level that stands for administrators of the instance. */
export const ADMINISTRATORS = 60
/** The level that stands for nobody. */
export const NOBODY = 0

/** Whether somebody may do something with what is protected. Administrators may do what anybody may. */
export function isGranted(
  { grants }: Pick<Protection, 'grants'>,
  action: ProtectedAction,
  { accessContext, userId }: ReferenceChanger,
): boolean {
  return grants.some((grant) => {
    if (grant.action !== action || grant.access_level === NOBODY) return false
    if (accessContext.admin) return true
    if (grant.access_level !== null) {
      return grant.access_level !== ADMINISTRATORS && accessContext.level >= grant.access_level
    }
    return grant.user_id === null ? grant.in_group === true : grant.user_id === userId
  })
}

/** Whether somebody may bring commits to a protected branch: those who may push, and by merge requests also those who may merge. */
export const maySend = (protection: Protection, byMerge: boolean, changer: ReferenceChanger): boolean =>
  isGranted(protection, 'push', changer) || (byMerge && isGranted(protection, 'merge', changer))

/** What protects a branch or tag. */
export const protecting = (protections: readonly Protection[], name: string): Protection[] =>
  protections.filter((one) => matches(one.name, name))

/** What somebody may do with a branch, and what its members may. */
export interface BranchRights {
  readonly protected: boolean
  readonly developers_can_push: boolean
  readonly developers_can_merge: boolean
  /** Whether the caller may push to it. */
  readonly can_push: boolean
}

/** The rights of a branch. Of several protections, the most permissive one counts. */
export function rightsOn(
  protections: readonly Protection[],
  branch: string,
  caller: ReferenceChanger & { readonly mayPush: boolean },
): BranchRights {
  const found = protecting(protections, branch)
  const forDevelopers = (action: ProtectedAction) =>
    found.some(({ grants }) => grants.some((one) => one.action === action && one.access_level === 30))
  return {
    protected: found.length > 0,
    developers_can_push: forDevelopers('push'),
    developers_can_merge: forDevelopers('merge'),
    can_push: caller.mayPush && (found.length === 0 || found.some((one) => isGranted(one, 'push', caller))),
  }
}
