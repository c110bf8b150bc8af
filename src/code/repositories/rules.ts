import type { AccessContext } from '#platform/access/access-context.ts'
import type { Db } from '#platform/db/pool.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { isAncestor } from '#code/git/history.ts'
import { BRANCHES, branchOf, isObjectId, isReferenceName, NO_OBJECT, tagOf } from '#code/git/names.ts'
import { isMisleading, MISLEADING } from '#platform/misleading.ts'
import type { CurrentRow, RepositoryRow, StoredRepository } from './rows.ts'

/** A reference that is to change from one object to another; {@link NO_OBJECT} where it is created or deleted. */
export interface ReferenceChange {
  /** The whole name, such as `refs/heads/main`. */
  readonly ref: string
  readonly before: string
  readonly after: string
  /** Whoever made the new commits made them on top of what the reference points at, so it loses none. */
  readonly grows?: true
}

/** Why a reference did not change. */
export interface ChangeRefusal {
  /**
   * `read-only` while the repository moves, `gone` when it was deleted, `rule` when a rule refuses the change, `overtaken` when it was
   * made for something that is so no more, `conflict` when git refuses it because somebody else was faster, `incomplete` when objects
   * are missing, and `others` when something else that had to happen with it was refused.
   */
  readonly code: 'read-only' | 'gone' | 'rule' | 'overtaken' | 'conflict' | 'incomplete' | 'others'
  /** For the person. */
  readonly text: string
}

/** Who changes references. Null stands for the program itself, which no rule stops. */
export interface ReferenceChanger {
  /** Their rights in the project of the repository. */
  readonly accessContext: AccessContext
  /** Null for a deploy token or key, which belongs to no person. */
  readonly userId: number | null
}

/** A change as rules look at it. */
export interface RuledChange extends ReferenceChange {
  /** What happens to the reference. */
  readonly action: 'created' | 'changed' | 'deleted'
  /** Whether the change takes commits away from the reference. Asked of git once, when a rule wants to know. */
  readonly isForced: () => Promise<boolean>
}

export interface RuleContext {
  readonly db: Db
  /** Reads the new objects, too, although nobody else sees them yet. */
  readonly repository: StoredRepository
  readonly row: CurrentRow
  readonly changer: ReferenceChanger
  /** How the change came about: `push`, `api`, … */
  readonly cause: string
  readonly settings: Settings
  /** The day, for memberships that end: `YYYY-MM-DD`. */
  readonly today: string
}

/**
 * Says which changes of references are refused. It runs before git changes anything and outside of transactions, and
 * looks at all changes at once, so that it needs one statement for any number of them.
 */
export interface ReferenceRule {
  /** What its refusals mean: by default that somebody may not do it. */
  readonly code?: 'overtaken'
  /** @returns the sentence with which a change is refused, by the name of its reference. */
  refusals(changes: readonly RuledChange[], context: RuleContext): Promise<ReadonlyMap<string, string>>
}

/** The rules of all features, such as protected branches. */
export const referenceRules = new ExtensionPoint<ReferenceRule>('the list of rules for references')

/** The refusals of all rules; of several for one reference the first. Without a changer only git's own names count. */
export async function refusalsOf(
  changes: readonly ReferenceChange[],
  context: Omit<RuleContext, 'changer'> & { readonly changer: ReferenceChanger | null },
): Promise<Map<string, ChangeRefusal>> {
  const refused = new Map<string, ChangeRefusal>()
  for (const change of changes) {
    const refusal = refusalOfName(change) ?? (context.changer && refusalOfDefault(change, context.row))
    if (refusal !== null && refusal !== undefined) refused.set(change.ref, { code: 'rule', text: refusal })
  }
  const { changer } = context
  if (changer === null) return refused
  const left = changes
    .filter(({ ref }) => !refused.has(ref))
    .map((change) => ruled(change, context.repository))
  for (const rule of left.length === 0 ? [] : referenceRules.entries) {
    const { code = 'rule' } = rule
    for (const [ref, text] of await rule.refusals(left, { ...context, changer })) {
      if (!refused.has(ref)) refused.set(ref, { code, text })
    }
  }
  return refused
}

function ruled(change: ReferenceChange, repository: StoredRepository): RuledChange {
  const action = change.before === NO_OBJECT ? 'created' : change.after === NO_OBJECT ? 'deleted' : 'changed'
  let forced: Promise<boolean> | undefined
  const ask = async () =>
    action === 'changed' && !change.grows && !(await isAncestor(repository, change.before, change.after))
  return { ...change, action, isForced: () => (forced ??= ask()) }
}

/** References that belong to the program. */
const OWN =
  /^refs\/(?:keep-around|merge-requests|environments|pipelines|tmp|remotes|replace|bisect|worktree)\//

/** Names that git accepts and people would regret. What is there already may be deleted. */
export function refusalOfName({ ref, before, after }: ReferenceChange): string | undefined {
  if (!isReferenceName(ref)) return 'the name is not one that git allows'
  if (OWN.test(ref)) return 'references with this name belong to the server'
  if (after === NO_OBJECT || before !== NO_OBJECT) return undefined
  const name = branchOf(ref) ?? tagOf(ref)
  if (name === undefined) return undefined
  if (isMisleading(name)) return `the name ${MISLEADING}`
  if (name.startsWith('-')) return 'the name must not begin with a dash'
  if (name === 'HEAD' || name === '@') return 'the name means something else to git'
  if (isObjectId(name)) return 'the name must not look like the id of a commit'
  if (name.startsWith('refs/')) return 'the name must not begin with refs/'
  return undefined
}

function refusalOfDefault(
  { ref, after }: ReferenceChange,
  { default_branch }: RepositoryRow,
): string | undefined {
  if (after !== NO_OBJECT || default_branch === null || ref !== BRANCHES + default_branch) return undefined
  return 'the default branch of a project cannot be deleted'
}
