import { type RawBuilder, sql } from 'kysely'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { locking } from '#planning/noteables/lock.ts'
import type { SnippetRow } from './entity.ts'
import { openTo, personalVisibleTo } from './visible.ts'

/** Newest first. */
export const snippetOrder: ListOrder = {
  of: 'Snippet',
  id: 's.id',
  columns: { created_at: { column: 's.created_at' } },
  by: 'created_at',
  sort: 'desc',
}

const columns = ['s.id', 's.project_id', 's.title', 's.visibility', 's.file_paths', 's.created_at'] as const

/** All snippets, each with everything that presenters need, without descriptions of more bytes than `longest`. */
export function snippetsFor(db: Db | Tx['db'], longest?: number) {
  return (
    db
      .selectFrom('snippets as s')
      // Left joins cost nothing where their columns are not used, as in totals.
      .leftJoin('noteables as o', 'o.id', 's.id')
      .leftJoin('namespaces as n', 'n.id', 'o.namespace_id')
      .leftJoin('projects as p', 'p.id', 's.project_id')
      .leftJoin('users as u', 'u.id', 's.author_id')
      .leftJoin('repositories as r', 'r.snippet_id', 's.id')
      .select(columns)
      .select([
        'r.default_branch',
        'r.storage',
        sql<number>`o.namespace_id`.as('namespace_id'),
        sql<string>`o.updated_at`.as('updated_at'),
        sql<string>`n.full_path`.as('full_path'),
        sql<UserBasicRow>`${userBasicJson('u')}`.as('author'),
        sql<string | null>`${shortened('s.description', longest)}`.as('description'),
        leftOut('s.description', longest).as('left_out'),
      ])
  )
}

/** Where a snippet is looked for, and who looks. */
export interface SnippetScope {
  readonly viewer: Viewer
  /** The project in the path, and whether the viewer sees all of its snippets; null for those of persons. */
  readonly project: { readonly id: number; readonly seesAll: boolean } | null
}

/** The snippets of a scope that the viewer may see. */
export function visibleIn({ viewer, project }: SnippetScope): RawBuilder<boolean> {
  if (project === null) return personalVisibleTo(viewer)
  const there = sql<boolean>`s.project_id = ${project.id}`
  return project.seesAll ? there : sql<boolean>`(${there} and ${openTo(viewer)})`
}

/** @throws 404 `Snippet Not Found`, also for one that the viewer may not see */
export async function findSnippet(db: Db | Tx['db'], scope: SnippetScope, id: number): Promise<SnippetRow> {
  return snippetsFor(db)
    .where('s.id', '=', id)
    .where(visibleIn(scope))
    .executeTakeFirstOrThrow(() => notFound('Snippet'))
}

const locks = {
  change: locking<{ id: number }>('change', (param) => sql`${param('id')}`),
  deletion: locking<{ id: number }>('deletion', (param) => sql`${param('id')}`),
}

/** The same for a write: others wait until the transaction ends. @throws 404 */
export async function lockSnippet(
  tx: Tx,
  scope: SnippetScope,
  id: number,
  purpose: keyof typeof locks = 'change',
): Promise<SnippetRow> {
  await locks[purpose](tx.db, { id })
  return findSnippet(tx.db, scope, id)
}
