import { viewerOfUser } from '#platform/access/act-for.ts'
import { BRANCHES } from '#code/git/names.ts'
import { COPIED, type RecordedChanges, type RecordStep } from '#code/repositories/record-changes.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { resolveReferences } from '#planning/references/resolve-references.ts'
import { movedBranches, newCommits } from './new-commits.ts'
import { referencesIn, type ReferenceInCommit } from './references-in.ts'
import { commitProjectOf } from './source.ts'
import { type IssueMention, type CommitProject, tellIssues } from './tell-issues.ts'

/** The most references of all new commits together. */
const MOST_REFERENCES = 100

const nothing = async () => {}

/**
 * Reads the messages of new commits. Issues that they name get a system note, and those that they close are closed once the commits are on
 * the default branch. Who has pushed is the author of both, and their rights decide.
 */
export const readMessages: RecordStep = {
  async prepare(recorded, repositories) {
    const { by, row, cause, site } = recorded
    if (row.kind !== 'project' || row.project_id === null || cause === COPIED || by.author === null)
      return nothing
    const referring = await referringCommits(recorded, site ?? '')
    if (referring.length === 0) return nothing
    const { db } = repositories.source
    const viewer = await viewerOfUser(repositories.source, by.author.id, by.ip)
    const source = viewer && (await commitProjectOf(db, row.project_id))
    if (source === undefined || viewer === undefined) return nothing
    const named = await issuesNamedIn(db, viewer, source, referring)
    return named.length === 0 ? nothing : (tx) => tellIssues(tx, viewer, source, named)
  },
}

/** What commits refer to: those new on any branch mention it, those new on the default branch may also close it. */
async function referringCommits(
  { repository, row, summary, changes, brought }: RecordedChanges,
  site: string,
): Promise<readonly ReferenceInCommit[]> {
  const moved = movedBranches(changes)
  const onDefault = moved.filter(({ ref }) => ref === `${BRANCHES}${summary.default_branch}`)
  const landed = await newCommits(repository, onDefault, null, brought)
  const others =
    moved.length === onDefault.length ? [] : await newCommits(repository, moved, row.last_commit_sha, brought)
  const known = new Set(landed.map(({ id }) => id))
  const elsewhere = referencesIn(
    others.filter(({ id }) => !known.has(id)),
    site,
  )
  const all = [...referencesIn(landed, site), ...elsewhere.map((one) => ({ ...one, closes: false }))]
  return all.slice(0, MOST_REFERENCES)
}

async function issuesNamedIn(
  db: Db,
  viewer: Viewer,
  source: CommitProject,
  referring: readonly ReferenceInCommit[],
): Promise<readonly IssueMention[]> {
  const references = referring.map(({ reference }) => reference)
  const resolved = await resolveReferences(db, viewer, source, references)
  const targets = new Map(resolved.map(({ reference, target }) => [reference, target]))
  return referring.flatMap(({ commit, reference, closes }) => {
    const target = targets.get(reference)
    if (target?.type !== 'Noteable') return []
    // Whoever works in a fork decides nothing about the issues of the project that it comes from.
    return [{ commit, target, closes: closes && target.namespace_id !== source.forked_from }]
  })
}
