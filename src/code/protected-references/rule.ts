import { branchOf, tagOf } from '#code/git/names.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { mergeOf } from '#code/repositories/merge-cause.ts'
import type { ReferenceRule, RuleContext, RuledChange } from '#code/repositories/rules.ts'
import { defaultProtectionOf, levelForFirstPush } from './default-protection.ts'
import { isGranted, maySend, protecting } from './may.ts'
import { type Protection, protectionsOf } from './rows.ts'

/** Refuses changes of protected branches and tags by those who may not make them. */
export const protectionRule: ReferenceRule = {
  async refusals(changes, context) {
    const { project_id: projectId, kind } = context.row
    if (kind !== 'project' || projectId === null) return new Map()
    const refused = new Map<string, string>()
    const branches = changes.filter(({ ref }) => branchOf(ref) !== undefined)
    const tags = changes.filter(({ ref }) => tagOf(ref) !== undefined)
    const query = { projectId, userId: context.changer.userId, today: context.today }
    if (branches.length > 0) {
      const known = await protectionsOf(context.db, { ...query, kind: 'branch' })
      const first = await refusalOfFirst(projectId, known, context)
      for (const change of branches) {
        const refusal = first ?? (await refusalOfBranch(change, known, context))
        if (refusal !== undefined) refused.set(change.ref, refusal)
      }
    }
    if (tags.length > 0) {
      const known = await protectionsOf(context.db, { ...query, kind: 'tag' })
      for (const change of tags) {
        const refusal = refusalOfTag(change, known, context)
        if (refusal !== undefined) refused.set(change.ref, refusal)
      }
    }
    return refused
  },
}

/** The first branch is going to be the default branch, so its protection decides who may push it. */
async function refusalOfFirst(
  projectId: number,
  known: readonly Protection[],
  { db, row, changer: { accessContext }, settings, cause }: RuleContext,
): Promise<string | undefined> {
  if (row.branch_count > 0 || known.length > 0 || accessContext.admin) return undefined
  const level = levelForFirstPush(
    await defaultProtectionOf(db, projectId, settings.default_branch_protection_defaults),
  )
  if (accessContext.level >= level) return undefined
  return cause === 'api' ? knownTexts['may-not-push'] : 'you may not push the first branch of this project'
}

/** Of several protections, the most permissive one counts. */
async function refusalOfBranch(
  change: RuledChange,
  known: readonly Protection[],
  { changer, cause }: RuleContext,
): Promise<string | undefined> {
  const name = branchOf(change.ref) ?? change.ref
  const found = protecting(known, name)
  if (found.length === 0) return undefined
  if (change.action === 'deleted') return `the branch ${name} is protected, so it cannot be deleted`
  const byMerge = mergeOf(cause) !== undefined
  if (!found.some((one) => maySend(one, byMerge, changer)))
    return cause === 'api' ? knownTexts['may-not-push'] : `you may not push to the protected branch ${name}`
  if (found.some((one) => one.allow_force_push) || !(await change.isForced())) return undefined
  return `the branch ${name} is protected, so nobody may push to it by force`
}

/** Whoever may create a protected tag may also delete it by the API, but not by mistake with git. */
function refusalOfTag(
  change: RuledChange,
  known: readonly Protection[],
  { changer, cause }: RuleContext,
): string | undefined {
  const name = tagOf(change.ref) ?? change.ref
  const found = protecting(known, name)
  if (found.length === 0) return undefined
  if (change.action === 'changed') return `the tag ${name} is protected, so it cannot change`
  if (change.action === 'deleted' && cause === 'push')
    return `the tag ${name} is protected, so it can only be deleted by the API`
  if (found.some((one) => isGranted(one, 'create', changer))) return undefined
  return `you may not ${change.action === 'created' ? 'create' : 'delete'} the protected tag ${name}`
}
