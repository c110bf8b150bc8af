import type { FastifyRequest } from 'fastify'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { NotFound } from '#platform/refusals.ts'
import { asThemselves } from '#platform/access/viewer.ts'
import { findStart } from '#planning/discussions/queries.ts'
import { mayResolve, resolveThread } from '#planning/discussions/resolve.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import { lockNoteable, type Noteable } from '#planning/noteables/find-noteable.ts'
import { mergeRequestNoteable as kind } from '../noteable.ts'
import type { MergeRequestRow } from '../queries.ts'
import type { SuggestionRow } from './find-suggestions.ts'

/** Resolves the threads of suggestions that were applied, if the caller may. This takes some statements for each; limits.ts bounds them. */
export async function resolveThreads(
  req: FastifyRequest,
  authorized: AuthorizedProject,
  { id, iid }: Pick<MergeRequestRow, 'id' | 'iid'>,
  suggestions: readonly SuggestionRow[],
): Promise<void> {
  const { viewer, site, server } = req
  const caller: Caller = { viewer, site, server, project: () => authorized, group: () => req.group() }
  const container = kind.container.authorized(caller)
  const own = { id, iid, key: iid, locked: false, namesOthers: true }
  const found: Noteable = { ...own, kind, container, viewer: asThemselves(viewer) }
  const threads = [...new Set(suggestions.map(({ discussion_id }) => discussion_id.toString('hex')))]
  await req.write(async (tx) => {
    const on = await lockNoteable(tx, caller, found)
    for (const thread of threads) {
      const first = await findStart(tx.db, on, thread).catch(goneMeanwhile)
      if (first !== undefined && (await mayResolve(tx, caller, on, first)))
        await resolveThread(tx, caller, on, first, true)
    }
  })
}

function goneMeanwhile(error: unknown): undefined {
  if (error instanceof NotFound) return undefined
  throw error
}
