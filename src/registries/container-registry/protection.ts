import { ClientPattern } from '#platform/client-pattern.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { denied } from '../oci/errors.ts'
import { isBelow, matchesWildcards } from '../protection/minimum-levels.ts'
import type { RepositoryAccess } from './authorize.ts'

/** What a rule asks for that names no role. */
export const noLevels = { minimum_access_level_for_push: null, minimum_access_level_for_delete: null }

type Role = RepositoryAccess['role']
type Doing = 'push' | 'delete'

interface Rule {
  readonly minimum_access_level_for_push: string | null
  readonly minimum_access_level_for_delete: string | null
}

export interface TagRule extends Rule {
  readonly tag_name_pattern: string
}

/** Whether a rule keeps somebody from doing something. */
const isAgainst = (rule: Rule, role: Role, doing: Doing): boolean =>
  isBelow(role, doing === 'push' ? rule.minimum_access_level_for_push : rule.minimum_access_level_for_delete)

/** A tag that nobody may push a second time, or delete. */
const isImmutable = (rule: Rule): boolean =>
  rule.minimum_access_level_for_push === null && rule.minimum_access_level_for_delete === null

/** Why nothing of a repository may be deleted. */
export const KEPT = 'a protection rule of the project keeps this repository'

/** Somebody, and a repository in which they want to do something. */
interface Asked extends Pick<RepositoryAccess, 'rest' | 'role'> {
  readonly project: Pick<RepositoryAccess['project'], 'id'>
}

/** Whether no rule keeps somebody from pushing to, or deleting from, a repository. */
export async function isRepositoryOpen(
  db: Db | Tx['db'],
  { project, rest, role }: Asked,
  doing: Doing,
): Promise<boolean> {
  const rules = await db
    .selectFrom('container_repository_rules')
    .select(['repository_path_pattern', 'minimum_access_level_for_push', 'minimum_access_level_for_delete'])
    .where('project_id', '=', project.id)
    .limit(MOST_RULES)
    .execute()
  const below = rest === '' ? '' : `/${rest}`
  return !rules.some(
    (rule) => isAgainst(rule, role, doing) && matchesWildcards(rule.repository_path_pattern, below),
  )
}

/** @throws 403 when one does */
export async function assertRepositoryOpen(db: Db | Tx['db'], access: Asked, doing: Doing): Promise<void> {
  if (!(await isRepositoryOpen(db, access, doing)))
    throw denied('a protection rule of the project keeps you from this repository')
}

/** Rules that a project may have, of each kind. */
export const MOST_RULES = 100
export const MOST_TAG_RULES = 5

/** The rules about tags of a project, compiled. */
export class TagRules {
  readonly #rules: readonly { readonly rule: TagRule; readonly pattern: ClientPattern }[]

  constructor(rules: readonly TagRule[]) {
    this.#rules = rules.map((rule) => ({ rule, pattern: new ClientPattern(rule.tag_name_pattern) }))
  }

  static async of(db: Db | Tx['db'], projectId: number): Promise<TagRules> {
    return new TagRules(
      await db
        .selectFrom('container_tag_rules')
        .select(['tag_name_pattern', 'minimum_access_level_for_push', 'minimum_access_level_for_delete'])
        .where('project_id', '=', projectId)
        .limit(2 * MOST_TAG_RULES)
        .execute(),
    )
  }

  #matching(tag: string): TagRule[] {
    return this.#rules.filter(({ pattern }) => pattern.finds(tag)).map(({ rule }) => rule)
  }

  /** Whether there are any. */
  get isAny(): boolean {
    return this.#rules.length > 0
  }

  /** Whether a cleanup leaves a tag alone. */
  isProtected(tag: string): boolean {
    return this.#rules.some(({ pattern }) => pattern.finds(tag))
  }

  /** Why somebody may not delete a tag; undefined when they may. */
  reasonToKeep(role: Role, tag: string): string | undefined {
    const rules = this.#matching(tag)
    if (rules.some(isImmutable)) return 'the tag is immutable'
    return rules.some((rule) => isAgainst(rule, role, 'delete')) ? 'the tag is protected' : undefined
  }

  /** @throws 403 when a rule keeps somebody from deleting a tag */
  assertMayDelete(role: Role, tag: string): void {
    const why = this.reasonToKeep(role, tag)
    if (why !== undefined) throw denied(why)
  }

  /** @param replaces whether the tag has another manifest now @throws 403 when a rule keeps somebody from pushing it */
  assertMayPush(role: Role, tag: string, replaces: boolean): void {
    const rules = this.#matching(tag)
    if (replaces && rules.some(isImmutable)) throw denied('the tag is immutable')
    if (rules.some((rule) => isAgainst(rule, role, 'push'))) throw denied('the tag is protected')
  }
}
