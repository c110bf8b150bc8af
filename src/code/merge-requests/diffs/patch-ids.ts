import { sql } from 'kysely'
import { GitBusy, GitInterrupted, GitTimeout, ReadsTooMuch } from '#code/git/errors.ts'
import { patchId } from '#code/git/patch-id.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { comparedWith } from './changes.ts'
import type { VersionRow } from './queries.ts'

/** Milliseconds for the versions of one answer. The next one goes on with what is left. */
const TIME = 10_000

/** What keeps this request from going on, and says nothing about the versions that are left. */
const PASSING = [GitBusy, GitInterrupted, GitTimeout, ReadsTooMuch]

/**
 * Identifies the diffs of versions that nobody has asked for before, and keeps the answers. Pushes do not wait for it.
 * Where the server is too busy or the request has had its share, the rest is left for the next one.
 * @returns the versions with what is known then.
 */
export async function withPatchIds(
  source: TransactionSource,
  repository: StoredRepository | undefined,
  versions: readonly VersionRow[],
): Promise<readonly VersionRow[]> {
  const found = repository === undefined ? new Map<number, string>() : await identify(repository, versions)
  if (found.size === 0) return versions
  const [ids, patches] = [[...found.keys()], [...found.values()]]
  await transact(source, { author: null, ip: null }, (tx) =>
    sql`update merge_request_versions set patch_id = (${patches}::text[])[array_position(${ids}::bigint[], id)]
      where id = any(${ids}::bigint[])`.execute(tx.db),
  )
  return versions.map((version) => ({ ...version, patch_id: found.get(version.id) ?? version.patch_id }))
}

/** @returns the patch ids by the ids of their versions; empty where there is none to find */
async function identify(
  repository: StoredRepository,
  versions: readonly VersionRow[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>()
  const until = performance.now() + TIME
  for (const version of versions) {
    if (version.patch_id !== null) continue
    if (performance.now() > until) break
    try {
      found.set(version.id, (await patchId(repository, comparedWith(version), version.head_sha)) ?? '')
    } catch (error) {
      if (PASSING.some((kind) => error instanceof kind)) break
      throw error
    }
  }
  return found
}
