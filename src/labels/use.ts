import { type RawBuilder, sql } from 'kysely'
import type { GroupDoor, ProjectDoor } from '#access/doors.ts'
import type { Viewer } from '#access/viewer.ts'
import { inSubtree } from '#db/subtree.ts'
import { confidentialOpenIn, issueVisibleTo } from '#issues/visible.ts'
import type { LabelUse } from './entity.ts'

/*
 * How many issues carry a label (`l`), as far as the viewer may see them: a column for the lists that ask for it, null
 * where there are none. All labels are counted at once, since a count for each would read the same issues each time.
 */

/** Labels on issues that are counted, of all labels together: half a second or so. */
const MAX_CARRIED = 500_000

const counted = (from: RawBuilder<unknown>): RawBuilder<LabelUse | null> => sql`(
  select jsonb_object_agg(label_id, jsonb_build_object('open', open, 'closed', closed)) from (
    select label_id, count(*) filter (where state = 'opened') as open, count(*) filter (where state = 'closed') as closed
    from (select c.label_id, i.state ${from} limit ${sql.lit(MAX_CARRIED)}) as carried group by label_id) as uses)
  -> l.id::text`

/** Of the issues of a project. */
export function useInProject(viewer: Viewer, { place, can }: ProjectDoor): RawBuilder<LabelUse | null> {
  return counted(sql`from issues i join issue_labels c on c.issue_id = i.id
    where i.project_id = ${place.id} and ${can('read_issue')}::boolean
      and ${confidentialOpenIn(viewer, can('read_confidential_issue'))}`)
}

/** Of the issues of all projects below a group. */
export function useInGroup(viewer: Viewer, { place }: GroupDoor): RawBuilder<LabelUse | null> {
  return counted(sql`from issues i join issue_labels c on c.issue_id = i.id
      join projects ip on ip.id = i.project_id join namespaces ins on ins.id = ip.project_namespace_id
    where ${inSubtree('ins', place.namespace_id)}
      and ${issueVisibleTo(viewer, { issue: 'i', node: 'ins', project: 'ip' })}`)
}
