import type { FastifyRequest } from 'fastify'
import { presentCommits } from '#code/commits/present.ts'
import { TAGS } from '#code/git/names.ts'
import { readCommits, readTags } from '#code/git/objects.ts'
import { type Reference } from '#code/git/references.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { PresentedTag } from './entity.ts'
import { type ReleaseOfTag, tagCompanions } from './extension-points.ts'

/** Presents tags: no process and one statement, however many they are. */
export async function presentTags(
  req: FastifyRequest,
  repository: StoredRepository,
  references: readonly Reference[],
): Promise<PresentedTag[]> {
  const query = { projectId: req.project().container.id, userId: null, today: req.viewer.today } as const
  const names = references.map(({ name }) => name.slice(TAGS.length))
  const [tags, targets, protections, releases] = await Promise.all([
    readTags(
      repository,
      references.map(({ id }) => id),
    ),
    Promise.all(references.map(({ id }) => resolveCommit(repository, id))),
    protectionsOf(req.server.db, { ...query, kind: 'tag' }),
    releasesOf(req, names),
  ])
  const ids = targets.filter((id) => id !== undefined)
  const commits = await presentCommits(req, repository, await readCommits(repository, ids))
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  return references.map(({ name: whole, id }, index) => {
    const name = whole.slice(TAGS.length)
    const tag = tags[index]
    return {
      name,
      message: tag === undefined ? null : tag.message.trimEnd(),
      target: id,
      commit: byId.get(targets[index] ?? '') ?? null,
      release: releases.get(name) ?? null,
      protected: protecting(protections, name).length > 0,
      created_at: tag?.tagger?.at ?? null,
    }
  })
}

async function releasesOf(req: FastifyRequest, tags: readonly string[]): Promise<Map<string, ReleaseOfTag>> {
  const found = await Promise.all(tagCompanions.entries.map((one) => one.releasesOf(req, tags)))
  return new Map(found.flatMap((releases) => [...releases]))
}
