import type { FastifyRequest } from 'fastify'
import { resolveCommit } from '#code/git/resolve.ts'
import { requestedCommit, requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { createTag } from '#code/tags/create-tag.ts'
import { findTagByName } from '#code/tags/find-tag.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict, unprocessable } from '#platform/refusals.ts'
import type { ReleaseRow } from './entity.ts'
import { collectEvidence } from './evidence.ts'
import { addLinks, assertLinks, type NewLink } from './links.ts'
import { type NamedMilestones, resolveMilestones, setMilestones } from './milestones.ts'
import { findRelease } from './queries.ts'

export const EXISTS = 'Release already exists'

/** What a request says of a new release. */
export interface ReleaseWishes extends NamedMilestones {
  readonly tag_name: string
  readonly name?: string
  readonly tag_message?: string
  readonly description?: string
  readonly ref?: string
  readonly released_at?: string
  readonly assets?: { readonly links?: readonly NewLink[] }
}

/**
 * Makes a release, and its tag unless it is there.
 * @throws 409 when the tag has a release, 422 when the tag has to be made and nobody says where, 400 for milestones that are not there
 */
export async function createRelease(req: FastifyRequest, wishes: ReleaseWishes): Promise<ReleaseRow> {
  const { container } = req.project()
  const { db } = req.server
  const { tag_name: tag, assets } = wishes
  const known = await db
    .selectFrom('releases')
    .select('id')
    .where('project_id', '=', container.id)
    .where('tag', '=', tag)
    .executeTakeFirst()
  if (known !== undefined) throw conflict(EXISTS)
  // What is refused anyway makes no tag.
  assertLinks(assets?.links ?? [])
  await req.write((tx) => resolveMilestones(tx, container, wishes))
  const sha = await taggedCommit(req, wishes)
  return req.write((tx) => insertRelease(tx, container, { ...wishes, sha }))
}

/** The commit of the tag, which is made unless it is there. @throws 422 */
async function taggedCommit(
  req: FastifyRequest,
  { tag_name: name, tag_message: message, ref }: ReleaseWishes,
): Promise<string> {
  const repository = await requestedRepository(req)
  const known = await commitOfTag(repository, name)
  if (known !== undefined) return known
  if (ref === undefined || ref === '') throw unprocessable('Ref is not specified')
  const target = await requestedCommit(repository, ref)
  if (target === undefined) throw unprocessable(`Target ${ref} is invalid`)
  try {
    await createTag(req, repository, {
      tag_name: name,
      ref: target,
      ...(message !== undefined && { message }),
    })
  } catch (error) {
    // Somebody else may have made it just now.
    const made = await commitOfTag(repository, name)
    if (made === undefined) throw error
    return made
  }
  return target
}

/** The commit of a tag; undefined when there is no such tag. @throws 422 for a tag of something else */
async function commitOfTag(
  repository: StoredRepository | undefined,
  name: string,
): Promise<string | undefined> {
  const tag = repository && (await findTagByName(repository, name))
  if (repository === undefined || tag === undefined) return undefined
  const sha = await resolveCommit(repository, tag.id)
  if (sha === undefined) throw unprocessable(`The tag ${name} is of no commit`)
  return sha
}

async function insertRelease(
  tx: Tx,
  project: ProjectContainer,
  wishes: ReleaseWishes & { readonly sha: string },
): Promise<ReleaseRow> {
  const { tag_name: tag, name = '', description, sha, released_at = tx.now, assets } = wishes
  await lockParent(tx, project.namespace_id)
  const milestones = await resolveMilestones(tx, project, wishes)
  const { id } = await tx.db
    .insertInto('releases')
    .values({
      project_id: project.id,
      tag,
      name: name.trim() === '' ? tag.slice(0, 255) : name,
      description: description ?? null,
      sha,
      author_id: tx.author?.id ?? null,
      released_at,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addLinks(tx, { id, links: [] }, assets?.links ?? [])
  if (milestones !== undefined) await setMilestones(tx, id, milestones)
  // Of an upcoming release a job collects it when its time has come; of an old one nobody knows any more.
  if (Date.parse(released_at) === Date.parse(tx.now)) await collectEvidence(tx, id)
  const made = await findRelease(tx.db, project.id, tag)
  const about = { namespace: project.namespace_id, target: { type: 'Release', id } }
  record(
    tx,
    { ...about, name: 'release created', details: { tag } },
    { ...about, name: 'release published', details: { tag, name: made.name, description: made.description } },
  )
  return made
}
