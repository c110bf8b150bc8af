import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { COUNTED } from '#platform/http/pagination.ts'
import { confidentialOpenIn, issueVisibleTo } from '#planning/issues/visible.ts'
import type { LabelUse } from './entity.ts'

/*
 * SQL for how many issues with a label (`l`) the viewer may see: a column for lists that ask for it. Each label is
 * counted up to the limit of totals, so the number of labels bounds the cost of a page.
 */

const counted = (from: RawBuilder<unknown>): RawBuilder<LabelUse> => sql`(
  select jsonb_build_object('open', count(*) filter (where state = 'opened'),
    'closed', count(*) filter (where state = 'closed'))
  from (select i.state ${from} and c.label_id = l.id limit ${sql.lit(COUNTED)}) as carried)`

/** Counts the issues of a project. */
export function useInProject(viewer: Viewer, { container, can }: AuthorizedProject): RawBuilder<LabelUse> {
  return counted(sql`from issues i join issue_labels c on c.issue_id = i.id
    where i.project_id = ${container.id} and ${can('read_issue')}::boolean
      and ${confidentialOpenIn(viewer, can('read_confidential_issue'))}`)
}

/** Counts the issues of all projects below a group. */
export function useInGroup(viewer: Viewer, { container }: AuthorizedGroup): RawBuilder<LabelUse> {
  return counted(sql`from issues i join issue_labels c on c.issue_id = i.id
      join projects ip on ip.id = i.project_id join namespaces ins on ins.id = ip.project_namespace_id
    where ${inSubtree('ins', container.namespace_id)}
      and ${issueVisibleTo(viewer, { issue: 'i', node: 'ins', project: 'ip' })}`)
}
