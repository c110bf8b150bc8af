import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { humanTimeOrNull } from '#planning/time/human-time.ts'
import { flat } from '#platform/http/flat.ts'
import { API } from '#platform/http/routing.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { presentLabelDetail } from '#planning/labels/entity.ts'
import { presentMilestone } from '#planning/milestones/entity.ts'
import { presentUserBasic } from '#identity/users/basic.ts'
import type { EpicOfIssue, Issue, IssueSingle, TimeStats } from './entity.ts'
import type { IssueRow, SingleIssueRow } from './queries.ts'
import type { CarryingEpic } from './related.ts'

/** What presenters of issues need from the request. */
export interface Audience {
  /** Where the web pages live. */
  readonly site: string
  readonly today: string
  /** The container from which relative references start. */
  readonly from: 'project' | 'group' | 'instance'
  /** The full path of that project or group. */
  readonly container?: string
}

export function audienceOf(
  req: Pick<FastifyRequest, 'viewer' | 'site' | 'authorizedProject' | 'authorizedGroup'>,
): Audience {
  const { site, viewer, authorizedProject, authorizedGroup } = req
  const common = { site, today: viewer.today }
  if (authorizedProject !== undefined)
    return { ...common, from: 'project', container: authorizedProject.container.full_path }
  if (authorizedGroup !== undefined)
    return { ...common, from: 'group', container: authorizedGroup.container.full_path }
  return { ...common, from: 'instance' }
}

interface PresentOptions {
  readonly with_labels_details?: boolean
}

export function presentIssues(
  rows: readonly IssueRow[],
  audience: Audience,
  wanted: PresentOptions = {},
): Static<typeof Issue>[] {
  return rows.map((row) => presentIssue(row, audience, wanted))
}

export function presentSingleIssue(row: SingleIssueRow, audience: Audience): Static<typeof IssueSingle> {
  return { ...presentIssue(row, audience), subscribed: row.subscribed }
}

export function presentIssue(
  row: IssueRow,
  audience: Audience,
  wanted: PresentOptions = {},
): Static<typeof Issue> {
  const { site, today } = audience
  const api = `${site}${API}`
  const self = flat`${api}/projects/${row.project_id}/issues/${row.iid}`
  const assignees = row.assignees.map((user) => presentUserBasic(user, site))
  const tasks = countTasks(row.description ?? '')
  const { count, completed_count } = tasks
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    closed_at: isoOrNull(row.closed_at),
    closed_by: row.closed_by === null ? null : presentUserBasic(row.closed_by, site),
    labels: wanted.with_labels_details
      ? row.labels.map(presentLabelDetail)
      : row.labels.map(({ name }) => name),
    milestone: row.milestone === null ? null : presentMilestone(row.milestone, site, today),
    assignees,
    author: presentUserBasic(row.author, site),
    type: row.issue_type.toUpperCase(),
    assignee: assignees[0] ?? null,
    user_notes_count: row.user_notes_count,
    merge_requests_count: row.merge_requests_count,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    due_date: row.due_date,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    issue_type: row.issue_type,
    web_url: flat`${site}/${row.full_path}/-/issues/${row.iid}`,
    time_stats: presentTimeStats(row),
    task_completion_status: tasks,
    weight: row.weight,
    blocking_issues_count: row.blocking_issues_count,
    has_tasks: count > 0,
    ...(count > 0 ? { task_status: flat`${completed_count} of ${count} checklist items completed` } : {}),
    _links: {
      self,
      notes: flat`${self}/notes`,
      award_emoji: flat`${self}/award_emoji`,
      project: flat`${api}/projects/${row.project_id}`,
      closed_as_duplicate_of: null,
    },
    references: referencesOf('#', row, audience),
    severity: (row.severity ?? 'unknown').toUpperCase(),
    moved_to_id: row.moved_to_id,
    imported: false,
    imported_from: 'none',
    service_desk_reply_to: null,
    epic_iid: row.epic?.iid ?? null,
    epic: row.epic === null ? null : presentEpicOf(row.epic),
    iteration: null,
    health_status: null,
  }
}

function presentEpicOf({ full_path, due_date, ...epic }: CarryingEpic): Static<typeof EpicOfIssue> {
  return {
    ...epic,
    url: flat`/groups/${full_path}/-/epics/${epic.iid}`,
    human_readable_end_date: due_date === null ? null : shortDay(due_date),
    human_readable_timestamp: null,
  }
}

const shortDay = (day: string) =>
  new Date(day).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

type Timed = Pick<IssueRow, 'time_estimate' | 'total_time_spent'>

export function presentTimeStats({ time_estimate, total_time_spent }: Timed): Static<typeof TimeStats> {
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: humanTimeOrNull(time_estimate),
    human_total_time_spent: humanTimeOrNull(total_time_spent),
  }
}

/** @param sign the one before the number: `#` for issues. */
export function referencesOf(
  sign: string,
  row: Located & { readonly iid: number },
  { from, container = '' }: Audience,
): { short: string; relative: string; full: string } {
  const short = `${sign}${row.iid}`
  const seenFrom = { project: pathFromProject, group: pathFromGroup, instance: () => row.full_path }
  return {
    short,
    relative: flat`${seenFrom[from](row, container)}${short}`,
    full: flat`${row.full_path}${short}`,
  }
}

type Located = Pick<IssueRow, 'path' | 'full_path'>

function pathFromProject({ path, full_path }: Located, project: string): string {
  if (full_path === project) return ''
  const beside = `${project.slice(0, project.lastIndexOf('/'))}/${path}`
  return full_path === beside ? path : full_path
}

function pathFromGroup({ path, full_path }: Located, group: string): string {
  return full_path.startsWith(`${group}/`) ? full_path.slice(`${group}/`.length) : path
}

const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/gm

/** Counts the check boxes in a Markdown text. */
export function countTasks(text: string): { count: number; completed_count: number } {
  let count = 0
  let completed = 0
  // The expression tries every line, and few texts have a box at all.
  if (!text.includes('[')) return { count, completed_count: completed }
  for (const [, mark] of text.matchAll(TASK)) {
    count += 1
    if (mark !== ' ') completed += 1
  }
  return { count, completed_count: completed }
}
