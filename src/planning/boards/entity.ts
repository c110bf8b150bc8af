import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import type { CarriedLabel } from '#planning/labels/carried.ts'
import { LabelDetail, presentLabelDetail } from '#planning/labels/entity.ts'
import { Milestone, type MilestoneRow, presentMilestone } from '#planning/milestones/entity.ts'
import { InvitedGroup } from '#tenancy/groups/entity.ts'
import { ProjectSimple, type ProjectSimpleFields } from '#tenancy/projects/fields.ts'

const { description: _, ...milestoneFields } = Milestone.properties

/** A milestone without its description, which may be long: a page of boards has many. */
export const BoardMilestone = entity('BoardMilestone', milestoneFields)

/** A list of a board: the open issues that have its label, assignee or milestone. */
export const BoardList = entity('BoardList', {
  id: integer(),
  label: nullable(LabelDetail),
  position: integer(),
  milestone: Type.Optional(BoardMilestone),
  assignee: Type.Optional(UserBasic),
  max_issue_count: integer(),
  max_issue_weight: integer(),
  limit_metric: nullable(Type.String()),
})

/** A board as the API presents it. */
export const Board = entity('Board', {
  id: integer(),
  name: Type.String(),
  hide_backlog_list: Type.Boolean(),
  hide_closed_list: Type.Boolean(),
  project: nullable(ProjectSimple),
  group: nullable(InvitedGroup),
  milestone: nullable(BoardMilestone),
  assignee: nullable(UserBasic),
  labels: Type.Array(LabelDetail),
  weight: nullable(integer()),
  lists: Type.Array(BoardList),
})

export type ListKind = 'label' | 'assignee' | 'milestone'

export interface ListRow {
  readonly id: number
  readonly board_id: number
  readonly position: number
  readonly label: CarriedLabel | null
  readonly assignee: UserBasicRow | null
  readonly milestone: MilestoneRow | null
  readonly updated_at: string
}

export interface BoardRow {
  readonly id: number
  readonly namespace_id: number
  readonly name: string
  readonly hide_backlog_list: boolean
  readonly hide_closed_list: boolean
  readonly milestone: MilestoneRow | null
  readonly assignee: UserBasicRow | null
  readonly labels: readonly CarriedLabel[]
  readonly weight: number | null
  readonly lists: readonly ListRow[]
  readonly updated_at: string
}

/** Where a board is, as the caller sees it. */
export interface BoardHome {
  readonly project: ProjectSimpleFields | null
  readonly group: Static<typeof InvitedGroup> | null
}

/** For whom boards are presented. */
interface Reader {
  /** Where the web pages live: `req.site`. */
  readonly site: string
  /** Their day, which decides whether a milestone has expired. */
  readonly today: string
}

export function presentBoard(
  row: BoardRow,
  { project, group }: BoardHome,
  reader: Reader,
): Static<typeof Board> {
  return {
    id: row.id,
    name: row.name,
    hide_backlog_list: row.hide_backlog_list,
    hide_closed_list: row.hide_closed_list,
    project,
    group,
    milestone: row.milestone && presentBoardMilestone(row.milestone, reader),
    assignee: row.assignee && presentUserBasic(row.assignee, reader.site),
    labels: row.labels.map(presentLabelDetail),
    weight: row.weight,
    lists: row.lists.map((list) => presentList(list, reader)),
  }
}

export function presentList(row: ListRow, reader: Reader): Static<typeof BoardList> {
  const { milestone, assignee } = row
  return {
    id: row.id,
    label: row.label && presentLabelDetail(row.label),
    position: row.position,
    ...(milestone && { milestone: presentBoardMilestone(milestone, reader) }),
    ...(assignee && { assignee: presentUserBasic(assignee, reader.site) }),
    max_issue_count: 0,
    max_issue_weight: 0,
    limit_metric: null,
  }
}

function presentBoardMilestone(row: MilestoneRow, { site, today }: Reader): Static<typeof BoardMilestone> {
  const { description: _, ...rest } = presentMilestone(row, site, today)
  return rest
}
