import { sql } from 'kysely'
import { visibleTo } from '#platform/access/visible.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { CommitEntity } from '../entity.ts'
import { readStoredCommit } from './kept-commits.ts'
import { commitNoteable } from './noteable.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'

/** Commits: people write notes on them, and to-dos come to those whom a note mentions. */
export const commitKind = defineKind({
  noteable: commitNoteable,
  todos: {
    entity: CommitEntity,
    kept: (id) => sql<boolean>`exists (select 1 from noted_commits tc
      join kept_commits tk on tk.project_id = tc.project_id and tk.sha = tc.sha where tc.id = ${id})`,
    async read(db, viewer, ids) {
      const rows = await db
        .selectFrom('noted_commits as c')
        .innerJoin('kept_commits as k', (join) =>
          join.onRef('k.project_id', '=', 'c.project_id').onRef('k.sha', '=', 'c.sha'),
        )
        .innerJoin('projects as p', 'p.id', 'c.project_id')
        .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
        .select(['c.id', 'c.sha', 'k.content', 'n.full_path'])
        .where(isAnyOf('c.id', ids))
        .where(visibleTo('n', viewer))
        .where(codeReadableAt('p.settings', 'n', viewer))
        .execute()
      return rows.flatMap(({ id, sha, content, full_path }) => {
        const kept = readStoredCommit(content)
        if (kept === undefined) return []
        return {
          id,
          title: kept.title,
          lacks: 0,
          present: ({ site }) => ({ ...kept, web_url: `${site}/${full_path}/-/commit/${sha}` }),
        }
      })
    },
  },
})
