import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Labels } from '#platform/db/schema.ts'
import { html } from '#platform/http/html.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import { textColorOn } from './color.ts'

/** A label in the details of what has it. */
export const LabelDetail = entity('LabelDetail', {
  id: integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  description_html: Type.String(),
  text_color: Type.String(),
  color: Type.String(),
  archived: Type.Boolean(),
})

export type LabelDetailRow = Pick<Selectable<Labels>, 'id' | 'name' | 'description' | 'color' | 'archived'>

export function presentLabelDetail(row: LabelDetailRow): Static<typeof LabelDetail> {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    description_html: html`${row.description ?? ''}`.text,
    text_color: textColorOn(row.color),
    color: row.color,
    archived: row.archived,
  }
}

/** A label of a group as the API presents it. */
export const GroupLabel = entity('GroupLabel', {
  ...LabelDetail.properties,
  subscribed: Type.Boolean(),
  open_issues_count: Type.Optional(integer()),
  closed_issues_count: Type.Optional(integer()),
  open_merge_requests_count: Type.Optional(integer()),
})

/** A label as a project sees it: its own or one of a group above it. */
export const ProjectLabel = entity('ProjectLabel', {
  ...GroupLabel.properties,
  priority: nullable(integer()),
  is_project_label: Type.Boolean(),
})

/** How many issues and open merge requests of a container have a label. */
export interface LabelUse {
  readonly open: number
  readonly closed: number
  readonly merge_requests: number
}

/** A label, with columns that depend on the viewer and on the project from which they look. */
export type LabelRow = Selectable<Labels> & {
  subscribed: boolean
  priority: number | null
  is_project_label: boolean
  /** On request. */
  use?: LabelUse
}

export function presentGroupLabel(row: LabelRow): Static<typeof GroupLabel> {
  return {
    ...presentLabelDetail(row),
    subscribed: row.subscribed,
    ...(row.use === undefined ? {} : presentUse(row.use)),
  }
}

export function presentProjectLabel(row: LabelRow): Static<typeof ProjectLabel> {
  return { ...presentGroupLabel(row), priority: row.priority, is_project_label: row.is_project_label }
}

function presentUse({ open, closed, merge_requests }: LabelUse) {
  return {
    open_issues_count: open,
    closed_issues_count: closed,
    open_merge_requests_count: merge_requests,
  }
}
