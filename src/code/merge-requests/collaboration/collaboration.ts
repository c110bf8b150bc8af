import { sql } from 'kysely'
import type { FurtherRights } from '#platform/access/further-rights.ts'
import { authorizeIfAllowed } from '#platform/access/act-for.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { levels } from '#platform/access/roles.ts'
import { hasLevel } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { mayMergeInto } from '../merge/merge-actor.ts'

/** The most merge requests of a fork that are looked at. */
const MAX_MERGE_REQUESTS = 20

interface OpenMergeRequest {
  readonly project_id: number
  readonly source_branch: string
  readonly target_branch: string
}

/**
 * Lets those who may merge a merge request push to its source branch in a fork, as its author allows with `allow_collaboration`: while it
 * is open, neither project is private and the branch is not protected.
 */
export const collaboration: FurtherRights = {
  abilities: ['commit_code'],

  async find(db, viewer, { container: { id }, accessContext }) {
    if (viewer.id === null || accessContext.archived) return undefined
    const branches = await branchesOpenTo(db, viewer, viewer.id, id)
    return branches.length === 0 ? undefined : { branches }
  },
}

async function branchesOpenTo(
  db: Db | Tx['db'],
  viewer: Viewer,
  userId: number,
  source: number,
): Promise<readonly string[]> {
  const open = await openIn(db, viewer, source)
  if (open.length === 0) return []
  const query = { projectId: source, kind: 'branch', userId, today: viewer.today } as const
  const known = await protectionsOf(db, query)
  const branches = new Set<string>()
  for (const { project_id, source_branch, target_branch } of open) {
    if (branches.has(source_branch) || protecting(known, source_branch).length > 0) continue
    const authorized = await authorizeIfAllowed(db, viewer, project_id, 'read_merge_request')
    if (authorized === undefined) continue
    const changer = { accessContext: authorized.accessContext, userId }
    if (await mayMergeInto(db, { authorized, changer, viewer }, target_branch)) branches.add(source_branch)
  }
  return [...branches]
}

/** The open merge requests of a fork into projects where somebody has a role that may merge. */
async function openIn(
  db: Db | Tx['db'],
  viewer: Viewer,
  source: number,
): Promise<readonly OpenMergeRequest[]> {
  const { rows } = await sql<OpenMergeRequest>`
    select mr.project_id, mr.source_branch, mr.target_branch
    from merge_requests mr
      join projects sp on sp.id = mr.source_project_id join namespaces sn on sn.id = sp.project_namespace_id
      join projects tp on tp.id = mr.project_id join namespaces tn on tn.id = tp.project_namespace_id
    where mr.source_project_id = ${source} and mr.project_id <> ${source}
      and mr.state = 'opened' and mr.allow_collaboration
      and sn.visibility <> 'private' and tn.visibility <> 'private'
      and ${hasLevel('tn', viewer, levels.developer)}
    order by mr.id desc limit ${MAX_MERGE_REQUESTS}`.execute(db)
  return rows
}
