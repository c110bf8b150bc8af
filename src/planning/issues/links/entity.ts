import type { Static } from 'typebox'
import { entity, integer, moment, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { Issue } from '../entity.ts'
import { type Audience, presentIssue } from '../present.ts'
import type { LinkRow, RelatedRow } from './queries.ts'

/** What one issue can be to another. */
export const linkTypes = ['relates_to', 'blocks', 'is_blocked_by'] as const

export type LinkType = (typeof linkTypes)[number]

/** An issue in another one's list of linked issues. */
export const RelatedIssue = entity('RelatedIssue', {
  ...Issue.properties,
  issue_link_id: integer(),
  link_type: oneOf(linkTypes, { description: 'How the requested issue relates to this one.' }),
  link_created_at: moment(),
  link_updated_at: moment(),
})

/** A link between two issues, equal from both sides. */
export const IssueLink = entity('IssueLink', {
  id: integer(),
  source_issue: Issue,
  target_issue: Issue,
  link_type: oneOf(['relates_to', 'blocks'], { description: 'How the source relates to the target.' }),
})

export function presentRelatedIssues(
  rows: readonly RelatedRow[],
  audience: Audience,
): Static<typeof RelatedIssue>[] {
  return rows.map((row) => ({
    ...presentIssue(row, audience),
    issue_link_id: row.issue_link_id,
    link_type: row.link_type === 'blocks' && !row.is_source ? 'is_blocked_by' : row.link_type,
    link_created_at: iso(row.link_created_at),
    link_updated_at: iso(row.link_updated_at),
  }))
}

export function presentLink(
  { id, source, target, link_type }: LinkRow,
  audience: Audience,
): Static<typeof IssueLink> {
  return {
    id,
    source_issue: presentIssue(source, audience),
    target_issue: presentIssue(target, audience),
    link_type,
  }
}
