import { type RawBuilder, sql } from 'kysely'
import { seesInternal } from '#platform/access/visible.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { forbidden } from '#platform/refusals.ts'
import { contains } from '#platform/db/search.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { keysetNotOffered } from '#platform/http/keyset.ts'
import { COUNTED, type ListByIds } from '#platform/http/pagination.ts'
import type { SnippetRow } from './entity.ts'
import { snippetsFor } from './queries.ts'
import { projectVisibleTo, snippetVisibleTo } from './visible.ts'

type Bool = RawBuilder<boolean>

export interface SnippetFilter {
  readonly created_after?: string
  readonly created_before?: string
  readonly repository_storage?: string
  /** A part of the title. */
  readonly title?: string
  /** The id of a group that its project must be in. */
  readonly group?: number
}

/** One condition for each filter that is given. @throws 403 for filters that only administrators may use */
export function conditionsOf(filter: SnippetFilter, { admin }: Pick<Viewer, 'admin'>): Bool {
  const { created_after: after, created_before: before, repository_storage: storage, title, group } = filter
  const found: Bool[] = [sql<boolean>`true`]
  if (after !== undefined) found.push(sql<boolean>`s.created_at >= ${after}`)
  if (before !== undefined) found.push(sql<boolean>`s.created_at <= ${before}`)
  if (storage !== undefined && !admin) throw forbidden('only administrators can filter by repository_storage')
  if (storage !== undefined)
    found.push(sql<boolean>`exists (
      select 1 from repositories rs where rs.snippet_id = s.id and rs.storage = ${storage})`)
  if (title !== undefined) found.push(contains(['s.title'], title))
  if (group !== undefined)
    found.push(sql<boolean>`s.project_id = any(array(select gp.id from projects gp
      join namespaces gn on gn.id = gp.project_namespace_id where ${inSubtree('gn', group)}))`)
  return sql<boolean>`(${sql.join(found, sql` and `)})`
}

/**
 * All snippets that somebody may see, also those of projects. The statement puts together a few lists, none of which has a
 * snippet of another one. Each is read in the order of an index, no farther than the page needs.
 */
export function allSnippets(
  db: Db,
  viewer: Viewer,
  filter: SnippetFilter,
  longest: number,
): ListByIds<SnippetRow> {
  const visible = filter.group === undefined ? partsFor(viewer) : [projectVisibleTo(viewer)]
  const parts = visible.map(
    (part) => sql`
    from snippets s join noteables o on o.id = s.id join namespaces n on n.id = o.namespace_id
      left join projects p on p.id = s.project_id
    where n.deleted_at is null and ${part} and ${conditionsOf(filter, viewer)}`,
  )
  const counts = parts.map(
    (part) => sql`(select count(*) from (select 1 ${part} limit ${sql.lit(COUNTED)}) as counted)`,
  )
  const total = sql<number>`least(${sql.join(counts, sql` + `)}, ${sql.lit(COUNTED)})::integer`
  return {
    async find({ limit, offset, sort }) {
      const direction = sql.raw(sort)
      const lists = parts.map(
        (part) => sql`(select s.id, s.created_at ${part}
          order by s.created_at ${direction}, s.id ${direction} limit ${limit}::integer + ${offset}::integer)`,
      )
      const { rows } = await sql<{ ids: number[]; total: number }>`
        select ${total} as total, array(
          select id from (${sql.join(lists, sql` union all `)}) as found
          order by created_at ${direction}, id ${direction} limit ${limit} offset ${offset}) as ids`.execute(
        db,
      )
      return rows[0] ?? { ids: [], total: 0 }
    },
    async count() {
      const { rows } = await sql<{ total: number }>`select ${total} as total`.execute(db)
      return rows[0]?.total ?? 0
    },
    findByKeys: async () => {
      throw keysetNotOffered()
    },
    read: (ids) =>
      snippetsFor(db, longest)
        .where(sql<boolean>`s.id = any(${[...ids]}::bigint[])`)
        .where(snippetVisibleTo(viewer))
        .orderBy(sql`array_position(${[...ids]}::bigint[], s.id)`)
        .execute(),
  }
}

function partsFor(viewer: Viewer): readonly Bool[] {
  if (viewer.admin) return [sql<boolean>`true`]
  const personal = (visibility: 'public' | 'internal') =>
    sql<boolean>`(s.project_id is null and s.visibility = ${sql.lit(visibility)})`
  const open = seesInternal(viewer) ? [personal('public'), personal('internal')] : [personal('public')]
  const own = sql<boolean>`(s.project_id is null and s.author_id = ${viewer.id}
    and not ${sql.join(open, sql` and not `)})`
  return [...open, own, projectVisibleTo(viewer)]
}
