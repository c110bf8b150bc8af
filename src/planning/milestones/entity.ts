import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { MilestoneState } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import { day, entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

/** A milestone, with the id of its project or of its group. */
export const Milestone = entity('Milestone', {
  id: integer(),
  iid: integer(),
  project_id: Type.Optional(integer()),
  group_id: Type.Optional(integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf(['active', 'closed']),
  created_at: moment(),
  updated_at: moment(),
  due_date: nullable(day()),
  start_date: nullable(day()),
  expired: Type.Boolean(),
  web_url: Type.String(),
})

export interface MilestoneRow {
  readonly id: number
  readonly iid: number
  readonly namespace_id: number
  readonly title: string
  readonly description: string | null
  readonly state: MilestoneState
  readonly start_date: string | null
  readonly due_date: string | null
  readonly created_at: string
  readonly updated_at: string
  /** Null for a milestone of a group. */
  readonly project_id: number | null
  readonly full_path: string
  /** The size in bytes of a description that was too long to be read with the other rows; null when it is there. */
  readonly left_out: number | null
}

/**
 * A milestone as JSON, for statements about what has milestones; `id` is SQL for its id. Descriptions of more bytes
 * than `longest` are left out.
 */
export function milestoneJson(
  id: RawBuilder<number | null>,
  longest?: number,
): RawBuilder<MilestoneRow | null> {
  return sql`(
    select json_build_object('id', m.id, 'iid', m.iid, 'namespace_id', m.namespace_id, 'title', m.title,
        'description', ${shortened('m.description', longest)}, 'left_out', ${leftOut('m.description', longest)}, 'state', m.state, 'start_date', m.start_date, 'due_date', m.due_date,
        'created_at', m.created_at, 'updated_at', m.updated_at, 'project_id', mp.id, 'full_path', mn.full_path)
      from milestones m join namespaces mn on mn.id = m.namespace_id
      left join projects mp on mp.project_namespace_id = m.namespace_id where m.id = ${id})`
}

/**
 * @param site where the web pages live: `req.site`.
 * @param today the day of the request, which decides whether a milestone has expired.
 */
export function presentMilestone(row: MilestoneRow, site: string, today: string): Static<typeof Milestone> {
  const { project_id, namespace_id, full_path, iid } = row
  const home = project_id === null ? `groups/${full_path}` : full_path
  return {
    id: row.id,
    iid,
    ...(project_id === null ? { group_id: namespace_id } : { project_id }),
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    due_date: row.due_date,
    start_date: row.start_date,
    expired: row.due_date !== null && row.due_date < today,
    web_url: flat`${site}/${home}/-/milestones/${iid}`,
  }
}
