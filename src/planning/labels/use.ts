import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { COUNTED } from '#platform/http/pagination.ts'
import { confidentialOpenIn, issueVisibleTo } from '#planning/issues/visible.ts'
import { isOfProject } from '#planning/noteables/list/read-items.ts'
import type { LabelUse } from './entity.ts'
import { labelCounts } from './extension-points.ts'

/*
 * SQL for how many issues and merge requests with a label (`l`) the viewer may see: a column for lists that ask for it. Of each label, as
 * many issues are looked at as totals count, before anybody asks who may see them. So the labels of a page bound its cost.
 */

/** Where the issues of a label are, and which of them count. */
interface Counting {
  /** A query for `issues` as `i` that have the label, from its `from` on: for at most {@link most} of them. */
  readonly issues: RawBuilder<unknown>
  /** What else the condition reads. */
  readonly joins?: RawBuilder<unknown>
  readonly visible: RawBuilder<boolean>
  /** The numbers of open merge requests, as features count them. */
  readonly others: readonly RawBuilder<number>[]
}

const counted = ({ issues, joins = sql``, visible, others }: Counting): RawBuilder<LabelUse> => sql`(
  select jsonb_build_object('open', count(*) filter (where i.state = 'opened'),
    'closed', count(*) filter (where i.state = 'closed'),
    'merge_requests', ${sql.join([sql.lit(0), ...others], sql` + `)})
  from (select i.id, i.project_id, i.state, i.confidential, i.author_id ${issues}) as i ${joins} where ${visible})`

const most = sql.lit(COUNTED)

/** Counts the issues of a project. */
export function useInProject(viewer: Viewer, authorized: AuthorizedProject): RawBuilder<LabelUse> {
  const { container, can } = authorized
  const mayRead = sql`${can('read_issue')}::boolean`
  const count = (issues: RawBuilder<unknown>) =>
    counted({
      issues,
      visible: confidentialOpenIn(viewer, can('read_confidential_issue')),
      others: labelCounts.entries.map((count) => count.inProject(viewer, authorized)),
    })
  // Issues with a label of the project are in the project, so their ids can be gathered first. Then one look through the primary
  // key finds all of them; a join may compare each with each right after an import. Through `issues_of_project` it takes a quarter
  // of the time, but where statistics are old, PostgreSQL then takes another index and reads the whole project for each label.
  const own = count(sql`from issues i
    where i.id = any(array(select c.issue_id from issue_labels c where c.label_id = l.id limit ${most}))
      and ${isOfProject('i.project_id', container.id)} and ${mayRead}`)
  const inherited = count(sql`from issues i join issue_labels c on c.issue_id = i.id
    where i.project_id = ${container.id} and ${mayRead} and c.label_id = l.id limit ${most}`)
  return sql`case when l.namespace_id = ${container.namespace_id} then ${own} else ${inherited} end`
}

/** Counts the issues of all projects below a group. */
export function useInGroup(viewer: Viewer, authorized: AuthorizedGroup): RawBuilder<LabelUse> {
  const { container } = authorized
  const projects = (project: string, namespace: string) => sql`
    join projects ${sql.id(project)} on ${sql.ref(`${project}.id`)} = i.project_id
    join namespaces ${sql.id(namespace)} on ${sql.ref(`${namespace}.id`)} = ${sql.ref(`${project}.project_namespace_id`)}`
  return counted({
    issues: sql`from issues i join issue_labels c on c.issue_id = i.id ${projects('bp', 'bns')}
      where ${inSubtree('bns', container.namespace_id)} and c.label_id = l.id limit ${most}`,
    joins: projects('ip', 'ins'),
    visible: issueVisibleTo(viewer, { issue: 'i', node: 'ins', project: 'ip' }),
    others: labelCounts.entries.map((count) => count.inGroup(viewer, authorized)),
  })
}
