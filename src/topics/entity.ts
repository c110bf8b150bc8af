import { type Static, Type } from 'typebox'
import { entity, integer, nullable } from '#http/schema.ts'
import type { TopicRow } from './queries.ts'

/** A topic, as on the wire. */
export const Topic = entity('Topic', {
  id: integer(),
  name: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  total_projects_count: integer({ description: 'Of the projects that you may see.' }),
  organization_id: integer(),
  avatar_url: nullable(Type.String()),
})

export function presentTopics(rows: readonly TopicRow[]): Static<typeof Topic>[] {
  return rows.map(presentTopic)
}

export function presentTopic(row: TopicRow): Static<typeof Topic> {
  return {
    id: row.id,
    name: row.name,
    title: row.title,
    description: row.description,
    total_projects_count: row.total_projects_count,
    organization_id: row.organization_id,
    avatar_url: null,
  }
}
