import type { FastifyRequest } from 'fastify'
import { NO_OBJECT, TAGS } from '#code/git/names.ts'
import { addTag } from '#code/git/new-commit.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import type { Reference } from '#code/git/references.ts'
import { changeAs } from '#code/repositories/change-as.ts'
import { committerOf } from '#code/repositories/committer.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { refusal } from '#platform/refusals.ts'
import { findTagByName } from './find-tag.ts'

export interface NewTag {
  readonly tag_name: string
  readonly ref: string
  /** With it the tag is annotated. */
  readonly message?: string
}

/**
 * Makes a tag.
 * @throws 400 when there is one already, or nothing of the name `ref`; 403 when the tag is protected.
 */
export async function createTag(
  req: FastifyRequest,
  repository: StoredRepository | undefined,
  { tag_name: name, ref, message = '' }: NewTag,
): Promise<{ readonly repository: StoredRepository; readonly tag: Reference }> {
  const target = await requestedCommit(repository, ref)
  if (repository === undefined || target === undefined) throw refusal(`Target ${ref} is invalid`)
  const exists = () => refusal(`Tag ${name} already exists`)
  if ((await findTagByName(repository, name)) !== undefined) throw exists()
  const onConflict = async () =>
    (await findTagByName(repository, name)) === undefined ? undefined : exists()
  const change = { ref: TAGS + name, before: NO_OBJECT, after: target }
  if (message.trim() === '') {
    await changeAs(req, repository, change, { onConflict })
    return { repository, tag: { name: change.ref, id: target } }
  }
  const pack = new PackWriter()
  const tagger = await committerOf(req)
  const after = addTag(pack, { name, target, targetType: 'commit', tagger, message })
  await using quarantine = await Quarantine.open(repository)
  await quarantine.add(pack)
  await changeAs(req, repository, { ...change, after }, { onConflict, quarantine })
  return { repository, tag: { name: change.ref, id: after } }
}
