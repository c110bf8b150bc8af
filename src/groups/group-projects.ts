import { type Static, Type } from 'typebox'
import type { Viewer } from '#access/viewer.ts'
import type { Db } from '#db/pool.ts'
import type { Tx } from '#db/transaction.ts'

/** The projects in a group and those shared with it, which the detail of a group still shows: deprecated. */
export const GroupProjects = Type.Object({
  projects: Type.Optional(Type.Array(Type.Object({}))),
  shared_projects: Type.Optional(Type.Array(Type.Object({}))),
})

/** At most 100 of each, and of those the ones that the viewer may see. */
export async function projectsOf(
  _db: Db | Tx['db'],
  _groupId: number,
  _looking: { readonly viewer: Viewer; readonly site: string },
): Promise<Static<typeof GroupProjects>> {
  return { projects: [], shared_projects: [] }
}
