import { sql } from 'kysely'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { BRANCHES } from '#code/git/names.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import type { RepositoryRow } from '#code/repositories/rows.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { changesBetween, type PageChanges } from './changes.ts'
import { isWiki, kinds, WIKI_PAGE } from './names.ts'
import { pagesThatDiffer } from './pages-that-differ.ts'
import { idsOfPages } from './rows.ts'
import { titleOfSlug } from './slug.ts'

/** The cause of a change of references that moves one page, whatever else it changes of it. */
export const PAGE_MOVED = 'wiki page moved'

/** Facts of one push. A push may change thousands of pages. */
const MOST_FACTS = 100

const nothing = async () => {}

/** Keeps the rows of pages, and tells of what happened to pages, when the default branch of a wiki has changed. */
export const recordPages: RecordStep = {
  async prepare({ repository, row, summary, changes, cause }, { source: { db } }) {
    if (!isWiki(row.kind)) return nothing
    const ref = BRANCHES + (summary.default_branch ?? '')
    const change = changes.find((one) => one.ref === ref)
    if (change === undefined) return nothing
    const kind = kinds[row.kind]
    const namespaceId = await namespaceOf(db, row)
    const pages = await pagesThatDiffer(repository, change)
    if (namespaceId === undefined || pages === undefined) return nothing
    const found = changesBetween(pages.before, pages.after, { isMove: cause === PAGE_MOVED })
    return (tx) => keep(tx, { namespaceId, kind }, found)
  },
}

async function namespaceOf(db: Db, { project_id, group_id }: RepositoryRow): Promise<number | undefined> {
  if (project_id === null) return group_id ?? undefined
  const found = await db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', project_id)
    .executeTakeFirst()
  return found?.project_namespace_id
}

interface Place {
  readonly namespaceId: number
  /** The kind of noteable that pages are there. */
  readonly kind: string
}

async function keep(tx: Tx, place: Place, changes: PageChanges): Promise<void> {
  const { created, updated, moved, deleted } = changes
  // Before its pages: whoever deletes it goes the same way.
  await sql`select 1 from namespaces where id = ${place.namespaceId} for key share`.execute(tx.db)
  if (moved.length > 0) await move(tx, place, moved)
  const gone = deleted.length === 0 ? new Map<string, number>() : await hide(tx, place, deleted)
  const present = [...created, ...updated, ...moved.map(({ to }) => to)]
  if (present.length > 0) await insert(tx, place, present)
  const ids = new Map([...gone, ...(await idsOfPages(tx.db, place.namespaceId, present))])
  const facts = [
    ...created.map((slug) => ({ slug, action: 'created' as const })),
    ...[...updated, ...moved.map(({ to }) => to)].map((slug) => ({ slug, action: 'updated' as const })),
    ...deleted.map((slug) => ({ slug, action: 'deleted' as const })),
  ]
  for (const { slug, action } of facts.slice(0, MOST_FACTS)) {
    const id = ids.get(slug)
    const target = id === undefined ? null : { type: WIKI_PAGE, id }
    const details = { action, slug, title: titleOfSlug(slug) }
    record(tx, { name: `wiki page ${action}`, namespace: place.namespaceId, target, details })
  }
}

/** Gives pages their new slugs. A page that was deleted there does not come back. */
async function move(tx: Tx, { namespaceId }: Place, moved: PageChanges['moved']): Promise<void> {
  const [from, to] = [moved.map((one) => one.from), moved.map((one) => one.to)]
  await sql`
    update wiki_pages set slug = null, deleted_at = coalesce(deleted_at, ${tx.now})
    where namespace_id = ${namespaceId} and slug = any(${to}::text[])`.execute(tx.db)
  await sql`
    update wiki_pages w set slug = m.after
    from unnest(${from}::text[], ${to}::text[]) as m (before, after)
    where w.namespace_id = ${namespaceId} and w.slug = m.before`.execute(tx.db)
}

/** Hides pages with their notes. @returns their ids */
async function hide(tx: Tx, { namespaceId }: Place, slugs: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ slug: string; id: number }>`
    update wiki_pages set deleted_at = ${tx.now}
    where namespace_id = ${namespaceId} and slug = any(${[...slugs]}::text[]) and deleted_at is null
    returning slug, id`.execute(tx.db)
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

/** Makes sure that pages have rows. Those that were deleted are back. */
async function insert(tx: Tx, { namespaceId, kind }: Place, slugs: readonly string[]): Promise<void> {
  await sql`
    update wiki_pages set deleted_at = null
    where namespace_id = ${namespaceId} and slug = any(${[...slugs]}::text[]) and deleted_at is not null`.execute(
    tx.db,
  )
  await sql`
    with page as (
      insert into wiki_pages (namespace_id, slug, created_at)
      select ${namespaceId}::bigint, slug, ${tx.now}::timestamptz from unnest(${[...slugs]}::text[]) as slug
      on conflict (namespace_id, slug) do nothing
      returning id
    ), noteable as ${insertNoteables('page', { kind, namespaceId, updatedAt: tx.now })}
    select`.execute(tx.db)
}
