import { type Static, Type } from 'typebox'
import type { ResourceEventAction } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { LabelDetail, type LabelDetailRow, presentLabelDetail } from '#planning/labels/entity.ts'
import { Milestone, type MilestoneRow, presentMilestone } from '#planning/milestones/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'

const common = {
  id: integer(),
  user: nullable(UserBasic),
  created_at: moment(),
  resource_type: Type.String(),
  resource_id: integer(),
}
const action = oneOf<ResourceEventAction>(['add', 'remove'])

/** Something was closed or reopened. */
export const ResourceStateEvent = entity('ResourceStateEvent', {
  ...common,
  source_commit: nullable(
    Type.String({ description: 'The commit that closed it, for those who may read the code.' }),
  ),
  state: Type.String(),
})

/** A label was added or removed; null when the label no longer exists. */
export const ResourceLabelEvent = entity('ResourceLabelEvent', {
  ...common,
  label: nullable(LabelDetail),
  action,
})

/** A milestone was set or removed; null when the milestone no longer exists. */
export const ResourceMilestoneEvent = entity('ResourceMilestoneEvent', {
  ...common,
  milestone: nullable(Milestone),
  action,
})

/** The weight of something changed; null when it was removed. */
export const ResourceWeightEvent = entity('ResourceWeightEvent', {
  ...common,
  issue_id: integer({ description: 'The same as `resource_id`, under the name that clients know.' }),
  weight: nullable(integer()),
})

export interface EventRow {
  readonly id: number
  readonly user: UserBasicRow | null
  readonly created_at: string
  readonly resource_id: number
  readonly resource_type: string
}

export interface StateEventRow extends EventRow {
  readonly source_commit: string | null
  readonly state: string
}

export interface LabelEventRow extends EventRow {
  readonly label: LabelDetailRow | null
  readonly action: ResourceEventAction
}

export interface MilestoneEventRow extends EventRow {
  readonly milestone: MilestoneRow | null
  readonly action: ResourceEventAction
}

export interface WeightEventRow extends EventRow {
  readonly weight: number | null
}

/** What presenters need from the request. */
export interface Audience {
  readonly site: string
  readonly today: string
}

function presentEvent(row: EventRow, site: string) {
  return {
    id: row.id,
    user: row.user === null ? null : presentUserBasic(row.user, site),
    created_at: iso(row.created_at),
    resource_type: row.resource_type,
    resource_id: row.resource_id,
  }
}

export function presentStateEvent(row: StateEventRow, { site }: Audience): Static<typeof ResourceStateEvent> {
  return { ...presentEvent(row, site), source_commit: row.source_commit, state: row.state }
}

export function presentLabelEvent(row: LabelEventRow, { site }: Audience): Static<typeof ResourceLabelEvent> {
  const { label } = row
  return {
    ...presentEvent(row, site),
    label: label === null ? null : presentLabelDetail(label),
    action: row.action,
  }
}

export function presentMilestoneEvent(
  row: MilestoneEventRow,
  { site, today }: Audience,
): Static<typeof ResourceMilestoneEvent> {
  const { milestone } = row
  return {
    ...presentEvent(row, site),
    milestone: milestone === null ? null : presentMilestone(milestone, site, today),
    action: row.action,
  }
}

export function presentWeightEvent(
  row: WeightEventRow,
  { site }: Audience,
): Static<typeof ResourceWeightEvent> {
  return { ...presentEvent(row, site), issue_id: row.resource_id, weight: row.weight }
}
