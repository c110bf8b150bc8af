import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { flag } from '#platform/http/schema.ts'
import { countCommits } from '#code/git/history.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { renderMarkdown } from '#planning/markup/render-markdown.ts'
import { uploadsOfPlace } from '#planning/uploads/addresses.ts'
import { tipOf } from '../branches.ts'
import type { MergeRequestSingle } from '../entity.ts'
import { escapeHtml } from '#platform/http/html.ts'
import type { SingleMergeRequestRow } from '../queries.ts'
import { isRebasing } from './begin-rebase.ts'

/** What a reader may ask for besides a merge request. */
export const SingleOptions = Type.Object({
  render_html: Type.Optional(flag({ description: 'Adds the title and the description as HTML.' })),
  include_diverged_commits_count: Type.Optional(
    flag({ description: 'Adds how many commits the target branch has that the source branch lacks.' }),
  ),
  include_rebase_in_progress: Type.Optional(flag({ description: 'Adds whether a rebase is under way.' })),
})

type Extras = Pick<
  Static<typeof MergeRequestSingle>,
  'title_html' | 'description_html' | 'diverged_commits_count' | 'rebase_in_progress'
>

/** What a reader asked for. */
export async function extrasOf(
  req: FastifyRequest,
  row: SingleMergeRequestRow,
  asked: Static<typeof SingleOptions>,
): Promise<Extras> {
  const now = req.server.services.clock.now().getTime()
  const uploads = uploadsOfPlace('project', req.project().container.full_path)
  return {
    ...(asked.render_html && {
      title_html: escapeHtml(row.title),
      description_html: await renderMarkdown(row.description ?? '', { uploads }),
    }),
    ...(asked.include_diverged_commits_count && { diverged_commits_count: await divergedCount(req, row) }),
    ...(asked.include_rebase_in_progress && { rebase_in_progress: isRebasing(row, now) }),
  }
}

/** More are not counted. */
const MAX_COUNTED = 10_000

async function divergedCount(
  req: FastifyRequest,
  { head_sha, target_branch }: SingleMergeRequestRow,
): Promise<number> {
  const repository = await requestedRepository(req)
  const tip = await tipOf(repository, target_branch)
  if (repository === undefined || tip === undefined) return 0
  return countCommits(repository, { from: [tip], not: [head_sha] }, MAX_COUNTED)
}
