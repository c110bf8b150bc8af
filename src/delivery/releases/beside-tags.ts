import { tagCompanions } from '#code/tags/extension-points.ts'
import { deleteRelease } from './delete-release.ts'
import { releasesOf } from './queries.ts'

/** Tags say which release they have, and take it with them when somebody deletes them. */
export const besideTags = tagCompanions.with({
  async releasesOf(req, tags) {
    const { container, can } = req.project()
    if (tags.length === 0 || !can('read_release')) return new Map()
    const rows = await req.server.db
      .selectFrom('releases')
      .select(['tag', 'description'])
      .where('project_id', '=', container.id)
      .where('tag', 'in', [...tags])
      .execute()
    return new Map(
      rows.map(({ tag, description }) => [tag, { tag_name: tag, description: description ?? '' }]),
    )
  },
  async remove(tx, { id, namespace_id }, tag) {
    const query = releasesOf(tx.db, id).where('r.tag', '=', tag)
    const known = await query.forUpdate('r').executeTakeFirst()
    if (known !== undefined) await deleteRelease(tx, namespace_id, known)
  },
})
