import { sql } from 'kysely'
import type { Visibility } from '#platform/db/schema.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { type Place, w, type World } from './world.ts'

/** A snippet that is a row alone, by the owner of a project: what is said about it asks git nothing. @returns its path */
export async function snippetRow(
  { id, owner, ...place }: Pick<Place, 'id' | 'owner'> & { readonly namespaceId: number },
  visibility: Visibility = 'public',
  { db }: Pick<World, 'db'> = w,
): Promise<string> {
  const now = new Date().toISOString()
  const { rows } = await sql<{ id: number }>`
    with snippet as (
      insert into snippets (project_id, author_id, title, visibility, created_at, ip)
      values (${id}, ${owner.id}, 'A row', ${visibility}, ${now}, '127.0.0.1') returning id
    ), noteable as ${insertNoteables('snippet', { kind: 'snippet', namespaceId: place.namespaceId, updatedAt: now })}
    select id from snippet`.execute(db)
  return `/projects/${id}/snippets/${rows[0]?.id}`
}
