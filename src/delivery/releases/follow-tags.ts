import { sql } from 'kysely'
import { NO_OBJECT, tagOf } from '#code/git/names.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import { deleteReleases } from './delete-release.ts'
import { releasesOf } from './queries.ts'

/** Releases go with their tags, however somebody deletes those. */
export const followTags: RecordStep = {
  async prepare({ row, changes }) {
    const tags = changes.flatMap(({ ref, after }) => (after === NO_OBJECT ? (tagOf(ref) ?? []) : []))
    const { kind, project_id } = row
    return async (tx) => {
      if (tags.length === 0 || kind !== 'project' || project_id === null) return
      const { project_namespace_id: namespace } = await tx.db
        .selectFrom('projects')
        .select('project_namespace_id')
        .where('id', '=', project_id)
        .executeTakeFirstOrThrow()
      const gone = releasesOf(tx.db, project_id, { text: 40_000, milestone: 0 })
        .where(sql<boolean>`r.tag = any(${tags}::text[])`)
        .orderBy('r.id')
        .forUpdate('r')
      await deleteReleases(tx, namespace, await gone.execute())
    }
  },
}
