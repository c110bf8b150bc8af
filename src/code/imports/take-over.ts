import { join } from 'node:path'
import { copyObjects, type CopyOptions } from '#code/git/copy-objects.ts'
import { GitFailed, StorageFull } from '#code/git/errors.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { copyReferences } from '#code/repositories/copy-references.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { ImportRefused } from './errors.ts'
import type { FetchedRepository } from './fetch-source.ts'

/**
 * Fetches a repository of others beside a repository of ours, and takes over its branches and tags. What Git refuses
 * of a push, it refuses here.
 * @param fetch makes a repository in this folder, which is removed afterwards.
 * @throws {ImportRefused}
 */
export async function takeOver(
  repositories: Repositories,
  target: StoredRepository,
  fetch: (folder: string) => Promise<FetchedRepository>,
  { maxBytes, signal }: Required<CopyOptions>,
): Promise<void> {
  await using quarantine = await Quarantine.open(target)
  const { repository, references } = await fetch(join(quarantine.objects, 'source.git'))
  if (references.length === 0) return
  try {
    const ids = [...new Set(references.map(({ id }) => id))]
    await copyObjects(repository, target, ids, quarantine, { maxBytes, signal })
    await copyReferences(repositories, target, references, quarantine, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StorageFull)
      throw new ImportRefused('This server has no room for the repository', { cause: error })
    if (!(error instanceof GitFailed)) throw error
    throw new ImportRefused(`Git refuses the repository: ${faultOf(error)}`, { cause: error })
  }
}

/** The sentence of Git that says what is wrong with an object. */
const faultOf = ({ stderr }: GitFailed): string =>
  /^(?:error|fatal): (.{1,200})$/m.exec(stderr)?.[1] ?? 'its objects are damaged'
