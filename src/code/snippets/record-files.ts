import { sql } from 'kysely'
import { BRANCHES } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import { record } from '#platform/facts/record.ts'
import { touch } from '#planning/noteables/touch.ts'
import { aboutSnippet } from './facts.ts'
import { listFiles } from './list-files.ts'

const nothing = async () => {}

/** Writes down which files a snippet has, when its branch has changed. */
export const recordFiles: RecordStep = {
  async prepare({ repository, row: { kind, snippet_id: id }, summary, changes }, { source: { db } }) {
    // A snippet that is still being created gets its paths in create-snippet.ts.
    if (kind !== 'snippet' || id === null) return nothing
    const change = changes.find(({ ref }) => ref === BRANCHES + (summary.default_branch ?? ''))
    const commit = change === undefined ? undefined : await resolveCommit(repository, change.after)
    const files = commit === undefined ? undefined : await listFiles(repository, commit)
    const place = await db
      .selectFrom('noteables')
      .select('namespace_id')
      .where('id', '=', id)
      .executeTakeFirst()
    if (files === undefined || place === undefined) return nothing
    const paths = files.map(({ path }) => path)
    return async (tx) => {
      await touch(tx, id)
      await sql`update snippets set file_paths = ${paths}::text[] where id = ${id}`.execute(tx.db)
      record(tx, { ...aboutSnippet({ id, ...place }), name: 'snippet files changed', details: { paths } })
    }
  },
}
