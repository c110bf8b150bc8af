import { sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, levelOf } from '#platform/access/visible.ts'
import type { ApprovalRuleType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'
import type { RuleRow } from './rules.ts'

/** What a request says of a rule. Absent fields stay. */
export interface RuleWishes {
  readonly name?: string
  readonly approvals_required?: number
  readonly user_ids?: readonly number[]
  readonly usernames?: readonly string[]
  readonly group_ids?: readonly number[]
  readonly protected_branch_ids?: readonly number[]
  readonly applies_to_all_protected_branches?: boolean
  readonly remove_hidden_groups?: boolean
}

export interface NewRule extends RuleWishes {
  readonly name: string
  readonly approvals_required: number
  /** By default `regular` where people are named, and else `any_approver`. */
  readonly rule_type?: ApprovalRuleType
  readonly source_rule_id?: number | null
}

/** Where a rule belongs: to a project, or to one of its merge requests. */
export interface RulePlace {
  readonly project: ProjectContainer
  readonly mergeRequestId: number | null
  readonly viewer: Viewer
}

/** Adds a rule. The project or the merge request is locked. @returns its id */
export async function createRule(tx: Tx, place: RulePlace, wanted: NewRule): Promise<number> {
  const { name, approvals_required, source_rule_id = null } = wanted
  const { rule_type = namesSomebody(wanted) ? 'regular' : 'any_approver' } = wanted
  const made = await tx.db
    .insertInto('approval_rules')
    .values({
      project_id: place.project.id,
      merge_request_id: place.mergeRequestId,
      source_rule_id,
      name,
      rule_type,
      approvals_required,
      applies_to_all_protected_branches: wanted.applies_to_all_protected_branches ?? false,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await writeRelations(tx, place, made.id, wanted)
  record(tx, {
    ...aboutRule(place, made.id),
    name: 'approval rule created',
    details: { name, approvals_required },
  })
  return made.id
}

const namesSomebody = ({ user_ids = [], usernames = [], group_ids = [] }: RuleWishes): boolean =>
  user_ids.length + usernames.length + group_ids.length > 0

const aboutRule = ({ project }: RulePlace, id: number) => ({
  namespace: project.namespace_id,
  target: { type: 'ApprovalRule', id },
})

/** Changes a rule. The project or the merge request is locked. */
export async function updateRule(tx: Tx, place: RulePlace, rule: RuleRow, wanted: RuleWishes): Promise<void> {
  const before = {
    name: rule.name,
    approvals_required: rule.approvals_required,
    applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
    user_ids: rule.users.map(({ id }) => id),
    group_ids: rule.groups.map(({ id }) => id),
    protected_branch_ids: rule.branch_ids,
  }
  const changes = changesBetween(before, wanted)
  const columns = {
    name: wanted.name ?? before.name,
    approvals_required: wanted.approvals_required ?? before.approvals_required,
    applies_to_all_protected_branches:
      wanted.applies_to_all_protected_branches ?? before.applies_to_all_protected_branches,
  }
  await tx.db.updateTable('approval_rules').set(columns).where('id', '=', rule.id).execute()
  await writeRelations(tx, place, rule.id, wanted)
  const details = { name: rule.name, fields: Object.keys(changes), changes }
  record(tx, { ...aboutRule(place, rule.id), name: 'approval rule changed', details })
}

export async function deleteRule(tx: Tx, place: RulePlace, { id, name }: RuleRow): Promise<void> {
  await tx.db.deleteFrom('approval_rules').where('id', '=', id).execute()
  record(tx, { ...aboutRule(place, id), name: 'approval rule deleted', details: { name } })
}

/**
 * Gives a rule its people, groups and branches. Clients send whole objects back, so what cannot be used is left out: users
 * who may not read the code, groups that the caller cannot see, branches of other projects.
 */
async function writeRelations(tx: Tx, place: RulePlace, id: number, wanted: RuleWishes): Promise<void> {
  const { user_ids, usernames, group_ids, protected_branch_ids, remove_hidden_groups } = wanted
  if (user_ids !== undefined || usernames !== undefined) await writeUsers(tx, place, id, wanted)
  if (group_ids !== undefined) await writeGroups(tx, place, id, group_ids)
  else if (remove_hidden_groups) await removeHidden(tx, place, id)
  if (protected_branch_ids !== undefined) await writeBranches(tx, place, id, protected_branch_ids)
}

async function writeUsers(
  tx: Tx,
  { project }: RulePlace,
  id: number,
  { user_ids = [], usernames = [] }: RuleWishes,
): Promise<void> {
  const lower = usernames.map((name) => name.toLowerCase())
  const level = levelOf('n', sql<number>`u.id`, dayOf(tx.now))
  await sql`
    with gone as (delete from approval_rule_users where rule_id = ${id} and not (user_id = any(${[...user_ids]}::bigint[])
      or user_id in (select id from users where lower(username) = any(${lower}::text[]))))
    insert into approval_rule_users (rule_id, user_id)
    select ${id}, u.id from users u join namespaces n on n.id = ${project.namespace_id}
      where (u.id = any(${[...user_ids]}::bigint[]) or lower(u.username) = any(${lower}::text[]))
        and u.deleted_at is null and ${level} >= ${levels.reporter}
      order by u.id
    on conflict do nothing`.execute(tx.db)
}

/** Groups of the rule that the caller cannot see stay. */
async function writeGroups(
  tx: Tx,
  { viewer }: RulePlace,
  id: number,
  groupIds: readonly number[],
): Promise<void> {
  await sql`
    with gone as (delete from approval_rule_groups rg using namespaces g
      where rg.rule_id = ${id} and g.id = rg.group_id and not g.id = any(${[...groupIds]}::bigint[])
        and ${groupVisibleTo('g', viewer)})
    insert into approval_rule_groups (rule_id, group_id)
    select ${id}, g.id from namespaces g where g.id = any(${[...groupIds]}::bigint[]) and g.kind = 'group'
      and ${groupVisibleTo('g', viewer)} order by g.id
    on conflict do nothing`.execute(tx.db)
}

async function removeHidden(tx: Tx, { viewer }: RulePlace, id: number): Promise<void> {
  await sql`delete from approval_rule_groups rg using namespaces g
    where rg.rule_id = ${id} and g.id = rg.group_id and not ${groupVisibleTo('g', viewer)}`.execute(tx.db)
}

async function writeBranches(
  tx: Tx,
  { project }: RulePlace,
  id: number,
  branchIds: readonly number[],
): Promise<void> {
  await sql`
    with gone as (delete from approval_rule_branches
      where rule_id = ${id} and not protected_reference_id = any(${[...branchIds]}::bigint[]))
    insert into approval_rule_branches (rule_id, protected_reference_id)
    select ${id}, b.id from protected_references b
      where b.id = any(${[...branchIds]}::bigint[]) and b.project_id = ${project.id} and b.kind = 'branch' order by b.id
    on conflict do nothing`.execute(tx.db)
}
