import type { FastifyRequest } from 'fastify'
import { BRANCHES } from '#code/git/names.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { writtenByCaller } from '#code/repositories/change-as.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { committerOf } from '#code/repositories/committer.ts'
import { hasHappened } from '#code/repositories/outcome.ts'
import { conflict, forbidden, refusal, unavailable } from '#platform/refusals.ts'
import type { Suggestion } from '#planning/noteables/suggesting.ts'
import { completed } from '#tenancy/projects/project-settings.ts'
import { fetchCommit } from '../branches.ts'
import { pushableSource } from '../merge/begin-rebase.ts'
import { findMergeRequest, type MergeRequestRow } from '../queries.ts'
import { buildCommit } from './build-commit.ts'
import { causeOfSuggestions } from './cause.ts'
import { findSuggestions, type FoundSuggestions, type SuggestionRow } from './find-suggestions.ts'
import { type FollowedLines, followLines } from './follow-lines.ts'
import { SUGGESTION_TEMPLATE, suggestionMessage } from './message.ts'
import { resolveThreads } from './resolve-threads.ts'

/** A suggestion, with its lines as they are at the tip of the source branch. */
type CurrentSuggestion = SuggestionRow & FollowedLines

/**
 * Applies suggestions of one merge request as one commit on its source branch: all of them or none.
 * @returns them, in this order
 * @throws 404 for what the caller may not read; 403 for those who may not push to the source branch; 400 for what cannot be
 * applied, for suggestions of several merge requests, and where lines overlap; 409 when somebody else was faster.
 */
export async function applySuggestions(
  req: FastifyRequest,
  ids: readonly number[],
  message: string | undefined,
): Promise<Suggestion[]> {
  const { db, services } = req.server
  const found = await readOnly(req, ids)
  const { authorized, rows } = found
  const [{ iid, merge_request_id: mergeRequestId }] = rows
  const row = await findMergeRequest(db, req.viewer, authorized, iid)
  const source = await pushableSource(req, row)
  if (source === 'Cannot push to source branch') throw forbidden(source)
  if (row.state !== 'opened')
    throw refusal(`A suggestion cannot be applied: the merge request is ${row.state}.`)
  if (typeof source === 'string') throw refusal('A suggestion cannot be applied: the source branch is gone.')
  const current = await currentOnes(req, found, row, source)
  assertAppliable(current)
  const paths = [...new Set(current.map(({ path }) => path))]
  const user = req.user()
  const committer = await committerOf(req)
  await using quarantine = await Quarantine.open(source.repository)
  const after = await buildCommit(quarantine, current, {
    tip: source.tip,
    committer,
    message: suggestionMessage(filledIn(message) ?? templateOf(row), {
      branch: row.source_branch,
      paths,
      count: current.length,
      project: { name: authorized.container.name, full_path: row.full_path },
      user: { ...committer, username: user.username },
      others: otherAuthors(current, user.id),
    }),
  })
  const [outcome] = await changeReferences(services.repositories, source.repository, {
    changes: [{ ref: BRANCHES + row.source_branch, before: source.tip, after, grows: true }],
    by: writtenByCaller(req),
    changer: { accessContext: source.authorized.accessContext, userId: user.id },
    cause: causeOfSuggestions({ mergeRequestId, ids: rows.map(({ id }) => id) }),
    site: req.site,
    quarantine,
  })
  if (!hasHappened(outcome))
    throw conflict('409 Conflict - the source branch or the suggestions have changed meanwhile. Look again.')
  await resolveThreads(req, authorized, row, rows)
  // Not read again: somebody may have deleted the note meanwhile, and it was applied all the same.
  return current.map(({ shown, from_line, to_line }) => ({
    ...shown,
    from_line,
    to_line,
    applied: true,
    appliable: false,
  }))
}

/** @throws 404, 403 where nobody may write, 400 for several merge requests */
async function readOnly(req: FastifyRequest, ids: readonly number[]): Promise<FoundSuggestions> {
  const found = await findSuggestions(req.server.db, req.viewer, ids)
  if (found === undefined) throw refusal('The suggestions are of several merge requests.')
  if (!found.authorized.can('create_merge_request_note')) throw forbidden()
  return found
}

/**
 * The suggestions with their lines at the tip. They are read after the tip: who applied one before has changed the tip, and who
 * applies one from now on is found out when the branch changes.
 * @throws 400 when their files are too large together
 */
async function currentOnes(
  req: FastifyRequest,
  { rows, authorized }: FoundSuggestions,
  { source_project_id }: MergeRequestRow,
  { repository: from, tip }: Exclude<Awaited<ReturnType<typeof pushableSource>>, string>,
): Promise<CurrentSuggestion[]> {
  const { db, services } = req.server
  const into = await services.repositories.ofProject(authorized.container.id)
  if (into === undefined) throw unavailable('the project has no repository')
  if (source_project_id !== authorized.container.id) await fetchCommit(from, into, tip)
  const again = await findSuggestions(
    db,
    req.viewer,
    rows.map(({ id }) => id),
  )
  const standing = again?.rows ?? rows
  const current = await followLines(into, tip, standing)
  if (current.length < standing.length)
    throw refusal(
      'The suggestions cannot be applied together: their files are too large. Apply some of them.',
    )
  return current
}

/** @throws 400 with the reason */
function assertAppliable(suggestions: readonly CurrentSuggestion[]): void {
  for (const { applied_sha, outdated, from_content, to_content } of suggestions) {
    if (applied_sha !== null) throw refusal('A suggestion cannot be applied: it was applied already.')
    if (outdated) throw refusal('A suggestion cannot be applied: its lines have changed since it was made.')
    if (from_content === to_content) throw refusal('A suggestion cannot be applied: it changes nothing.')
  }
  for (const ofFile of Map.groupBy(suggestions, ({ path }) => path).values()) {
    const sorted = ofFile.toSorted((a, b) => a.from_line - b.from_line)
    const overlap = sorted.some((one, index) => one.from_line <= (sorted[index - 1]?.to_line ?? 0))
    if (overlap) throw refusal('The suggestions cannot be applied together: their lines overlap.')
  }
}

function templateOf({ settings }: MergeRequestRow): string {
  return filledIn(completed(settings).suggestion_commit_message) ?? SUGGESTION_TEMPLATE
}

const filledIn = (text: string | null | undefined): string | undefined =>
  text === null || text?.trim() === '' ? undefined : text

/** Who suggested it besides the one who applies it, each once. */
function otherAuthors(suggestions: readonly SuggestionRow[], userId: number) {
  const others = suggestions.filter(({ author_id }) => author_id !== userId)
  const byId = new Map(others.map((one) => [one.author_id, one]))
  return [...byId.values()].map(({ author_name: name, author_email: email }) => ({ name, email }))
}
