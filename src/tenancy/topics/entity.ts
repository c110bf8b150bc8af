import { type Static, Type } from 'typebox'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import type { TopicRow } from './queries.ts'

/** A topic as the API presents it. */
export const Topic = entity('Topic', {
  id: integer(),
  name: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  total_projects_count: integer({ description: 'Counts only projects that you can see.' }),
  organization_id: integer(),
  avatar_url: nullable(Type.String()),
})

/** @param site where the web pages live: `req.site`. */
export function presentTopics(rows: readonly TopicRow[], site: string): Static<typeof Topic>[] {
  return rows.map((row) => presentTopic(row, site))
}

export function presentTopic(row: TopicRow, site: string): Static<typeof Topic> {
  return {
    id: row.id,
    name: row.name,
    title: row.title,
    description: row.description,
    total_projects_count: row.total_projects_count,
    organization_id: row.organization_id,
    avatar_url: avatarUrl(site, 'topic', row.id, row.avatar),
  }
}
