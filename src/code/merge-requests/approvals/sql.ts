import { type RawBuilder, sql } from 'kysely'
import type { Operand } from '#platform/db/statement.ts'
import { current, readableBy } from '#platform/access/visible.ts'

// The SQL of approvals, stated once, over a rule `r`, a merge request `mr` and its project `p`.

/** The pattern of a protected branch for `like`. */
const pattern = sql`replace(replace(replace(replace(b.name, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%')`

/** A rule of a project applies to every branch, or to some of its protected branches. */
const isAboutBranch = sql<boolean>`(
  not r.applies_to_all_protected_branches and not exists (select 1 from approval_rule_branches rb where rb.rule_id = r.id)
  or exists (
    select 1 from protected_references b
      where b.project_id = r.project_id and b.kind = 'branch' and mr.target_branch like ${pattern}
        and (r.applies_to_all_protected_branches or exists (
          select 1 from approval_rule_branches rb where rb.rule_id = r.id and rb.protected_reference_id = b.id))))`

/**
 * The rules that count for a merge request, as a table: its own rules, or those of the project if it has none. The query has two parts,
 * so that indexes find the few rules of one merge request.
 */
export const rulesOfOne = sql`(
  select r.id, r.merge_request_id, r.rule_type, r.approvals_required from approval_rules r where r.merge_request_id = mr.id
  union all
  select r.id, r.merge_request_id, r.rule_type, r.approvals_required from approval_rules r where r.project_id = mr.project_id and r.merge_request_id is null and ${isAboutBranch}
    and not exists (select 1 from approval_rules o where o.merge_request_id = mr.id))`

/** Whether a rule counts for a merge request. */
export const isAbout = sql<boolean>`r.id = any(array(select about.id from ${rulesOfOne} about))`

/** The people whom rules of the merge request itself name, as `user_id`. */
export const approversOfOne = sql`(
  select ru.user_id from ${rulesOfOne} r join approval_rule_users ru on ru.rule_id = r.id)`

/** The merge requests for which a project's rule may name one of these people. Some have their own rules instead. */
export const idsWithApprover = (user: number): RawBuilder<unknown> => sql`
  select r.merge_request_id as id from approval_rule_users ru join approval_rules r on r.id = ru.rule_id
    where ru.user_id = ${user} and r.merge_request_id is not null
  union
  select x.id from approval_rule_users ru join approval_rules r on r.id = ru.rule_id
    join merge_requests x on x.project_id = r.project_id
    where ru.user_id = ${user} and r.merge_request_id is null`

/** Whether a rule names a user, or a group that they belong to. */
export const ruleNamesUser = (
  user: RawBuilder<unknown>,
  today: Operand<string>,
): RawBuilder<boolean> => sql<boolean>`(
  exists (select 1 from approval_rule_users ru where ru.rule_id = r.id and ru.user_id = ${user})
  or exists (
    select 1 from approval_rule_groups rg
      join namespaces g on g.id = rg.group_id and g.deleted_at is null
      join members m on m.namespace_id = any(g.traversal_ids) and m.user_id = ${user} and ${current('m', today)}
      where rg.rule_id = r.id))`

/** Whether an approval `a` counts for a rule. */
export const counts = (today: Operand<string>): RawBuilder<boolean> =>
  sql<boolean>`(r.rule_type = 'any_approver' or ${ruleNamesUser(sql`a.user_id`, today)})`

/** The people whom a rule names, and the members of its groups, as `user_id`. */
const peopleOf = (today: Operand<string>) => sql`
  select ru.user_id from approval_rule_users ru where ru.rule_id = r.id
  union
  select m.user_id from approval_rule_groups rg
    join namespaces g on g.id = rg.group_id and g.deleted_at is null
    join members m on m.namespace_id = any(g.traversal_ids) and ${current('m', today)}
    where rg.rule_id = r.id`

/** Authors approve their own merge requests only where the project lets them. */
const mayBeAuthor = sql<boolean>`coalesce((
  select s.merge_requests_author_approval from project_approval_settings s where s.project_id = mr.project_id), false)`

/**
 * How many approvals a rule really demands. A rule of the project demands at most as many as there are eligible approvers, so it cannot
 * block a merge request for good. A rule of the merge request demands its number, because its author chose the approvers. Authors of
 * commits count as eligible here: anybody can write the address of another person into a commit.
 */
export const demanded = (today: Operand<string>): RawBuilder<number> => sql<number>`(
  case when r.rule_type = 'any_approver' or r.merge_request_id is not null then r.approvals_required else (
    select count(*)::integer from (
      select 1 from (${peopleOf(today)}) named join users u on u.id = named.user_id
        join projects rp on rp.id = mr.project_id join namespaces rn on rn.id = rp.project_namespace_id
        where ${readableBy('rn', 'u', today)} and (u.id <> mr.author_id or ${mayBeAuthor})
        limit r.approvals_required) able) end)`

const approvals = sql`from merge_request_approvals a where a.merge_request_id = mr.id`

/** How many approvals the project's rules would demand together if the merge request had no rules of its own. */
export const demandedByProject = (today: Operand<string>): RawBuilder<number> => sql<number>`coalesce((
  select sum(${demanded(today)})::integer from approval_rules r
    where r.project_id = mr.project_id and r.merge_request_id is null and ${isAboutBranch}), 0)`

/**
 * How many approvals a merge request needs from anybody, besides its rules. Its own number and rules cannot lower what the project
 * demands.
 */
export const neededOfAnybody = (today: Operand<string>): RawBuilder<number> => sql<number>`greatest(
  mr.approvals_required, (p.settings ->> 'approvals_before_merge')::integer,
  case when exists (select 1 from approval_rules o where o.merge_request_id = mr.id) then ${demandedByProject(today)} else 0 end)`

/** Whether a merge request lacks approvals that it needs. */
export const lacksApprovals = (today: Operand<string>): RawBuilder<boolean> => sql<boolean>`(
  (select count(*) ${approvals}) < ${neededOfAnybody(today)}
  or exists (select 1 from ${rulesOfOne} r where (select count(*) ${approvals} and ${counts(today)}) < r.approvals_required
    and (select count(*) ${approvals} and ${counts(today)}) < ${demanded(today)}))`

/** Whether a reviewer has asked for changes. */
export const awaitsChanges = sql<boolean>`exists (
  select 1 from merge_request_reviewers w where w.merge_request_id = mr.id and w.state = 'requested_changes')`
