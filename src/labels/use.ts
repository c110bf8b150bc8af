import { type RawBuilder, sql } from 'kysely'
import type { GroupDoor, ProjectDoor } from '#access/doors.ts'
import type { Viewer } from '#access/viewer.ts'
import { inSubtree } from '#db/subtree.ts'
import { confidentialOpenIn, issueVisibleTo } from '#issues/visible.ts'
import type { LabelUse } from './entity.ts'

/*
 * How many issues carry a label (`l`), as far as the viewer may see them: a column for the lists that ask for it.
 */

const counted = sql`json_build_object('open', count(*) filter (where i.state = 'opened'),
  'closed', count(*) filter (where i.state = 'closed'))`

/** Of the issues of a project. */
export function useInProject(viewer: Viewer, { place, can }: ProjectDoor): RawBuilder<LabelUse> {
  return sql`(select ${counted} from issue_labels c join issues i on i.id = c.issue_id
    where c.label_id = l.id and i.project_id = ${place.id} and ${can('read_issue')}::boolean
      and ${confidentialOpenIn(viewer, can('read_confidential_issue'))})`
}

/** Of the issues of all projects below a group. */
export function useInGroup(viewer: Viewer, { place }: GroupDoor): RawBuilder<LabelUse> {
  return sql`(select ${counted} from issue_labels c join issues i on i.id = c.issue_id
      join projects ip on ip.id = i.project_id join namespaces ins on ins.id = ip.project_namespace_id
    where c.label_id = l.id and ${inSubtree('ins', place.namespace_id)}
      and ${issueVisibleTo(viewer, { issue: 'i', node: 'ins', project: 'ip' })})`
}
