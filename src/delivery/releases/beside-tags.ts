import { sql } from 'kysely'
import { tagCompanions } from '#code/tags/extension-points.ts'

/** Tags say which release they have. */
export const besideTags = tagCompanions.with({
  async releasesOf(req, tags) {
    const { container, can } = req.project()
    if (tags.length === 0 || !can('read_release')) return new Map()
    const rows = await req.server.db
      .selectFrom('releases')
      .select(['tag', 'description'])
      .where('project_id', '=', container.id)
      .where(sql<boolean>`tag = any(${[...tags]}::text[])`)
      .execute()
    return new Map(
      rows.map(({ tag, description }) => [tag, { tag_name: tag, description: description ?? '' }]),
    )
  },
})
