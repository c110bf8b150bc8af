import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepareShapes } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { projectExtensions } from '../extension-points.ts'
import { type ProjectRow, projectsFor } from '../queries.ts'

/** What the text of the statement depends on. */
interface Shape extends Pick<Viewer, 'admin' | 'external'> {
  readonly signedIn: boolean
  /** How many features add columns. */
  readonly extensions: number
}

interface Values extends Pick<Viewer, 'today'> {
  readonly viewer: number
  readonly ids: readonly number[]
}

const withIds = (db: Db | Tx['db'], viewer: Viewer, ids: readonly number[]) =>
  projectsFor(db, viewer).where(sql<boolean>`p.id = any(${ids}::bigint[])`)

const kept = prepareShapes((db, { signedIn, admin, external }: Shape, param: Param<Values>) => {
  const id = signedIn ? param('viewer') : null
  return withIds(db, { admin, external, id, today: param('today'), closed: [] }, param('ids'))
})

/**
 * Reads projects in the order of their ids, without those that the viewer may not see: between two statements, rights may
 * change.
 */
export async function readProjects(
  db: Db | Tx['db'],
  viewer: Viewer,
  ids: readonly number[],
): Promise<ProjectRow[]> {
  if (ids.length === 0) return []
  const { admin, external, id, today, closed } = viewer
  const extensions = projectExtensions.entries.length
  const shape = { admin, external, signedIn: id !== null, extensions }
  const rows =
    closed.length === 0
      ? await kept(db, shape, { viewer: id ?? 0, today, ids }).run<ProjectRow>(db, '', (query) => query)
      : await withIds(db, viewer, [...ids]).execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((one) => found.get(one) ?? [])
}

/**
 * Finds a project.
 * @throws 404 `Project Not Found` when it is gone or the viewer may not see it.
 */
export async function findProject(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<ProjectRow> {
  const [project] = await readProjects(db, viewer, [id])
  if (project === undefined) throw notFound('Project')
  return project
}
