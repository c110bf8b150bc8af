import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepareShapes } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inlineBytes } from '#platform/http/long-rows.ts'
import { type IssueRow, issuesFor } from '../queries.ts'
import { confidentialOpenIn, issueVisibleTo } from '../visible.ts'
import type { IssueScope } from './scope.ts'

/** Which issues are open to the viewer: all of a project, those of it that are not confidential or theirs, or any. */
type Rights = 'all of a project' | 'own of a project' | 'any'

interface Values {
  readonly viewer: Viewer
  readonly project: number
  readonly ids: readonly number[]
}

/** Rights are asked again: between the two statements of a list, an issue may become confidential or move. */
function rowsOf(db: Db | Tx['db'], rights: Rights, { viewer, project, ids }: Values, longest?: number) {
  const issues = issuesFor(db, viewer, longest).where(sql<boolean>`i.id = any(${ids}::bigint[])`)
  if (rights === 'any') return issues.where(issueVisibleTo(viewer))
  return issues
    .where('i.project_id', '=', project)
    .where(confidentialOpenIn(viewer, rights === 'all of a project'))
}

/** What the text of the statement depends on. */
interface Shape extends Pick<Viewer, 'admin' | 'external'> {
  readonly signedIn: boolean
  readonly rights: Rights
  readonly longest: number
}

const kept = prepareShapes(
  (
    db,
    { signedIn, rights, longest, ...shape }: Shape,
    param: Param<{ viewer: number; today: string; project: number; ids: readonly number[] }>,
  ) => {
    const viewer = { ...shape, id: signedIn ? param('viewer') : null, today: param('today'), closed: [] }
    return rowsOf(db, rights, { viewer, project: param('project'), ids: param('ids') }, longest)
  },
)

/** The sizes of pages that most clients ask for. */
const common = new Set([20, 50, 100].map((per_page) => inlineBytes({ per_page })))

/**
 * Reads issues of a scope by their ids, in the order of the ids; without those that the viewer may not see.
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 */
export async function readIssues(
  db: Db,
  scope: IssueScope,
  ids: readonly number[],
  longest?: number,
): Promise<IssueRow[]> {
  const { viewer } = scope
  const { id, admin, external, today } = viewer
  const project = scope.kind === 'project' ? scope.id : 0
  const rights = scope.kind !== 'project' ? 'any' : scope.readsAll ? 'all of a project' : 'own of a project'
  const isKept = longest !== undefined && common.has(longest) && viewer.closed.length === 0
  const found: IssueRow[] = isKept
    ? await kept(
        db,
        { admin, external, signedIn: id !== null, rights, longest },
        { viewer: id ?? 0, today, project, ids },
      ).run<IssueRow>(db, '', (issues) => issues)
    : await rowsOf(db, rights, { viewer, project, ids: [...ids] }, longest).execute()
  const byId = new Map(found.map((row) => [row.id, row]))
  return ids.flatMap((one) => byId.get(one) ?? [])
}
