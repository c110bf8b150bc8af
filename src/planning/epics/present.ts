import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { presentUserBasic } from '#identity/users/basic.ts'
import { flat } from '#platform/http/flat.ts'
import { API } from '#platform/http/routing.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { textColorOn } from '#planning/labels/color.ts'
import { presentLabelDetail } from '#planning/labels/entity.ts'
import type { Epic, EpicSingle } from './entity.ts'
import type { EpicRow, SingleEpicRow } from './queries.ts'

/** What presenters of epics need from the request. */
export interface EpicAudience {
  /** Where the web pages live. */
  readonly site: string
  /** The full path of the group from which relative references start; without one they are full. */
  readonly group?: string
}

export const epicAudienceOf = ({
  site,
  authorizedGroup,
}: Pick<FastifyRequest, 'site' | 'authorizedGroup'>): EpicAudience => ({
  site,
  ...(authorizedGroup === undefined ? {} : { group: authorizedGroup.container.full_path }),
})

interface PresentOptions {
  readonly with_labels_details?: boolean
}

export function presentEpics(
  rows: readonly EpicRow[],
  audience: EpicAudience,
  wanted: PresentOptions = {},
): Static<typeof Epic>[] {
  return rows.map((row) => presentEpic(row, audience, wanted))
}

export const presentSingleEpic = (row: SingleEpicRow, audience: EpicAudience): Static<typeof EpicSingle> => ({
  ...presentEpic(row, audience),
  subscribed: row.subscribed,
})

export function presentEpic(
  row: EpicRow,
  { site, group }: EpicAudience,
  wanted: PresentOptions = {},
): Static<typeof Epic> {
  const { parent } = row
  const short = `&${row.iid}`
  const full = flat`${row.full_path}${short}`
  const api = `${site}${API}`
  const self = pathOf(api, row)
  return {
    id: row.id,
    work_item_id: row.id,
    iid: row.iid,
    group_id: row.group_id,
    parent_id: parent?.id ?? null,
    parent_iid: parent?.iid ?? null,
    title: row.title,
    description: row.description,
    confidential: row.confidential,
    author: presentUserBasic(row.author, site),
    state: row.state,
    web_url: epicUrl(site, row),
    reference: short,
    references: { short, relative: row.full_path === group ? short : full, full },
    start_date: row.start_date,
    end_date: row.due_date,
    due_date: row.due_date,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    closed_at: isoOrNull(row.closed_at),
    labels: wanted.with_labels_details
      ? row.labels.map(presentLabelDetail)
      : row.labels.map(({ name }) => name),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    color: row.color,
    text_color: textColorOn(row.color),
    imported: false,
    imported_from: 'none',
    _links: {
      self,
      epic_issues: flat`${self}/issues`,
      group: flat`${api}/groups/${row.group_id}`,
      parent: parent === null ? null : pathOf(api, parent),
    },
    ...(row.editable ? presentDates(row) : {}),
  }
}

/** The page of an epic. */
export const epicUrl = (site: string, { full_path, iid }: Pick<EpicRow, 'full_path' | 'iid'>): string =>
  flat`${site}/groups/${full_path}/-/epics/${iid}`

const pathOf = (api: string, { group_id, iid }: Pick<EpicRow, 'group_id' | 'iid'>): string =>
  flat`${api}/groups/${group_id}/epics/${iid}`

const presentDates = (row: EpicRow) => ({
  start_date_is_fixed: row.start_date_is_fixed,
  start_date_fixed: row.start_date_fixed,
  start_date_from_inherited_source: row.start_date_inherited,
  start_date_from_milestones: row.start_date_inherited,
  due_date_is_fixed: row.due_date_is_fixed,
  due_date_fixed: row.due_date_fixed,
  due_date_from_inherited_source: row.due_date_inherited,
  due_date_from_milestones: row.due_date_inherited,
})
