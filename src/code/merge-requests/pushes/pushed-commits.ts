import { countCommits, isAncestor, log, mergeBase } from '#code/git/history.ts'
import type { Repository } from '#code/git/repository.ts'
import { escapeHtml } from '#platform/http/html.ts'

/** A commit as a system note names it. */
interface NamedCommit {
  readonly id: string
  readonly title: string
}

/** What a push brought to the source branch of a merge request. */
export interface PushedCommits {
  readonly before: string
  readonly after: string
  /** Whether commits were taken away. */
  readonly forced: boolean
  /** How many commits came that the target branch lacks. */
  readonly count: number
  /** The first of them, oldest first. */
  readonly commits: readonly NamedCommit[]
  /** Commits that came from the target branch, and the last one of them. */
  readonly existing: { readonly count: number; readonly last: string; readonly branch: string } | null
}

/** Commits that a system note names, and the longest title. */
const NAMED = 50
const LONGEST_TITLE = 200
/** More are not counted. */
const COUNTED = 10_000

/** Finds out what came to a source branch. @param target the tip of the target branch; undefined when it is gone. */
export async function pushedCommits(
  repository: Repository,
  { before, after }: { readonly before: string; readonly after: string },
  target: { readonly branch: string; readonly tip: string | undefined },
): Promise<PushedCommits> {
  const { tip, branch } = target
  const all = { from: [after], not: [before] }
  const fresh = { from: [after], not: tip === undefined ? [before] : [before, tip] }
  const [forced, total, count] = await Promise.all([
    isAncestor(repository, before, after).then((grew) => !grew),
    countCommits(repository, all, COUNTED),
    countCommits(repository, fresh, COUNTED),
  ])
  const skip = Math.max(0, count - NAMED)
  const named = count === 0 ? [] : await log(repository, fresh, { skip, limit: NAMED })
  const commits = named
    .toReversed()
    .map(({ id, title }) => ({ id: id.slice(0, 8), title: title.slice(0, LONGEST_TITLE).toWellFormed() }))
  const last = total > count && tip !== undefined ? await mergeBase(repository, [after, tip]) : undefined
  const existing = last === undefined ? null : { count: total - count, last: last.slice(0, 8), branch }
  return { before, after, forced, count, commits, existing }
}

const counted = (count: number) => `${count} ${count === 1 ? 'commit' : 'commits'}`

/** The sentence of the system note; undefined where commits only went. */
export function sentenceOfPush({ before, count, commits, existing }: PushedCommits): string | undefined {
  const total = count + (existing?.count ?? 0)
  if (total === 0) return undefined
  const items = commits.map(({ id, title }) => `${id} - ${escapeHtml(title)}`)
  if (existing !== null) {
    const { last, branch } = existing
    const range = existing.count === 1 ? last : `${before.slice(0, 8)}...${last}`
    items.unshift(`${range} - ${counted(existing.count)} from branch <code>${escapeHtml(branch)}</code>`)
  }
  return `added ${counted(total)}\n\n<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
}
