import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { noteVisibleTo } from '#planning/notes/visible.ts'
import { userBasicColumns } from '#identity/users/basic.ts'
import type { ItemKind } from './kind.ts'

export const participantOrder: ListOrder = {
  of: 'User',
  id: 'u.id',
  columns: { id: { column: 'u.id' } },
  by: 'id',
  sort: 'asc',
  statements: new StatementCache({ name: 'participants', max: 16, plan: 'generic' }),
}

/**
 * The participants of an item that the viewer may know of: who wrote it or works on it, and everybody who commented or
 * is mentioned. Deleted users are left out.
 */
export function participantsOf(
  db: Db,
  viewer: Viewer,
  { can }: AuthorizedProject,
  { people }: Pick<ItemKind, 'people'>,
  id: number,
) {
  // Only system notes name other noteables, and they mention nobody.
  const visible = noteVisibleTo(viewer, can('read_internal_note'), 'x', false)
  return db
    .selectFrom('users as u')
    .select(userBasicColumns.map((column) => `u.${column}` as const))
    .where('u.deleted_at', 'is', null)
    .where('u.kind', '<>', 'ghost')
    .where(
      sql<boolean>`u.id in (
        ${people(id)}
        union select x.author_id from notes x where x.noteable_id = ${id} and not x.system and ${visible}
        union select m.user_id from user_mentions m where m.noteable_id = ${id} and (m.note_id is null or exists (
          select 1 from notes x where x.id = m.note_id and ${visible})))`,
    )
}
