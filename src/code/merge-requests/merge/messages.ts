import type { Commit } from '#code/git/commit.ts'
import { closingReferences } from '#planning/references/closing.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { withoutDraft } from '../draft.ts'
import { searchedTextOf } from '../pushes/closed-by-merge.ts'
import type { MergeRequestRow } from '../queries.ts'
import { filled, type Person, signed, trailers } from './templates.ts'

/** What messages are made of. */
export interface MessageContext {
  readonly row: MergeRequestRow
  readonly site: string
  readonly mergedBy: Person
  readonly author: Person
  /** Those who approved, the first first. */
  readonly approvedBy: readonly Person[]
  /** Reviewers who have reviewed or approved. */
  readonly reviewedBy: readonly Person[]
  /** The commits of the source branch that the target lacks, oldest first; of many only the first ones. */
  readonly commits: readonly Commit[]
}

export const MERGE_TEMPLATE =
  "Merge branch '%{source_branch}' into '%{target_branch}'\n\n%{title}\n\n%{issues}\n\nSee merge request %{reference}"
export const SQUASH_TEMPLATE = '%{title}'

const variables: Readonly<Record<string, (context: MessageContext) => string>> = {
  source_branch: ({ row }) => row.source_branch,
  target_branch: ({ row }) => row.target_branch,
  title: ({ row }) => withoutDraft(row.title),
  description: ({ row }) => row.description ?? '',
  reference: ({ row }) => `${row.full_path}!${row.iid}`,
  local_reference: ({ row }) => `!${row.iid}`,
  source_project_id: ({ row }) => String(row.source_project_id ?? ''),
  url: ({ row, site }) => `${site}/${row.full_path}/-/merge_requests/${row.iid}`,
  issues: issuesOf,
  first_commit: ({ commits }) => commits[0]?.message.trim() ?? '',
  first_multiline_commit: (context) => multiline(context)?.message.trim() ?? withoutDraft(context.row.title),
  first_multiline_commit_description: (context) => bodyOf(multiline(context)),
  merged_by: ({ mergedBy }) => signed(mergedBy),
  merge_request_author: ({ author }) => signed(author),
  co_authored_by: coAuthors,
  all_commits: ({ commits }) => commits.map(({ message }) => `* ${message.trim()}`).join('\n\n'),
  reviewed_by: ({ reviewedBy }) => trailers('Reviewed-by', reviewedBy),
  approved_by: ({ approvedBy }) => trailers('Approved-by', approvedBy),
}

const OF_COMMITS: readonly string[] = [
  'first_commit',
  'first_multiline_commit',
  'first_multiline_commit_description',
  'co_authored_by',
  'all_commits',
]
const OF_REVIEWS: readonly string[] = ['reviewed_by', 'approved_by']

/** What a template needs to be read. */
export function neededBy(template: string): { readonly commits: boolean; readonly reviews: boolean } {
  const names = [...template.matchAll(/%\{(\w+)\}/g)].map(([, name = '']) => name)
  const someOf = (those: readonly string[]) => names.some((name) => those.includes(name))
  return { commits: someOf(OF_COMMITS), reviews: someOf(OF_REVIEWS) }
}

const bodyOf = (commit: Commit | undefined): string =>
  commit === undefined ? '' : commit.message.trim().split('\n').slice(1).join('\n').trim()

const multiline = ({ commits }: MessageContext): Commit | undefined =>
  commits.find((commit) => bodyOf(commit) !== '')

/** `Closes #1, #2 and #3`, as the title and the description name them. */
function issuesOf({ row, site }: MessageContext): string {
  const text = searchedTextOf(row)
  const found = closingReferences(text, parseReferences(text, site))
  const named = [...new Set(found.map(({ start, end }) => text.slice(start, end)))].slice(0, 100)
  if (named.length === 0) return ''
  const last = named.pop()
  return `Closes ${named.length === 0 ? '' : `${named.join(', ')} and `}${last ?? ''}`
}

/** Lines for all who wrote commits, besides the author of the squashed one. */
function coAuthors({ commits, author }: MessageContext): string {
  const others = commits.map((commit) => commit.author).filter(({ email }) => email !== author.email)
  const byEmail = new Map(others.map((one) => [one.email, one]))
  return trailers('Co-authored-by', [...byEmail.values()])
}

/** The message that a template gives. A line on which nothing but empty variables stand is left out. */
export const messageFrom = (template: string, context: MessageContext): string =>
  filled(template, (name) => variables[name]?.(context))
