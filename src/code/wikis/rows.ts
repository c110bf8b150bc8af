import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** The ids of all pages of a wiki, by their slugs. */
export async function idsOfWiki(db: Db, namespaceId: number): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ slug: string; id: number }>`
    select slug, id from wiki_pages where namespace_id = ${namespaceId} and deleted_at is null`.execute(db)
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

/** The ids of some pages of a wiki, by their slugs. */
export async function idsOfPages(
  db: Db | Tx['db'],
  namespaceId: number,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (slugs.length === 0) return new Map()
  const { rows } = await sql<{ slug: string; id: number }>`
    select slug, id from wiki_pages
    where namespace_id = ${namespaceId} and slug = any(${[...slugs]}::text[]) and deleted_at is null`.execute(
    db,
  )
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}
