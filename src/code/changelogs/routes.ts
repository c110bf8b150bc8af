import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { findBranch } from '#code/branches/find-branch.ts'
import { createCommit } from '#code/commits/writing/create-commit.ts'
import { readObject } from '#code/git/objects.ts'
import { findEntry } from '#code/git/tree.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { Slots } from '#code/git/processes/slots.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { ById, entity, NoContent } from '#platform/http/schema.ts'
import { currentCaller } from '#platform/shares/caller.ts'
import { invalidParameters, notFound } from '#platform/refusals.ts'
import { changelogFailed } from './failure.ts'
import { insertSection, type Section, textOf } from './insert-section.ts'
import { type ChangelogWishes, makeChangelog } from './make-changelog.ts'
import { ChangelogQuery, NewChangelog } from './parameters.ts'
import { readVersion } from './versions.ts'

const ChangelogEntity = entity('Changelog', { notes: Type.String({ description: 'Markdown.' }) })

/** Bytes of a file that gets a section. */
const MOST_BYTES = 8 * 1024 * 1024

/** Changelogs that are made at once: each may hold some hundred megabytes. */
const SHARES = { atOnce: 4, each: 2, anonymous: 2, waiting: 10, waitingInAll: 40, patience: 20_000 }

/** Routes that make changelogs of commits. */
export const changelogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const path = '/projects/:id/repository/changelog'
  const slots = new Slots(SHARES)

  /** Makes a changelog when there is room for one more. @throws 503 when too many wait; what {@link makeChangelog} throws */
  const make = async (
    req: FastifyRequest,
    repository: StoredRepository,
    wishes: ChangelogWishes,
  ): Promise<Section> => {
    const leave = await slots.take(currentCaller())
    try {
      return await makeChangelog(req, repository, wishes)
    } finally {
      leave()
    }
  }

  app.get(
    path,
    {
      config: reads(project('download_code'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get the changelog of a version',
        description: 'Made of the commits that have a trailer, such as `Changelog: feature`.',
        params: ById,
        querystring: ChangelogQuery,
        refuses: [422],
        response: { 200: ChangelogEntity },
      },
    },
    async (req) => {
      const repository = await requestedRepository(req)
      if (repository === undefined) throw notFound('Commit')
      return { notes: textOf(await make(req, repository, wishesOf(req.query))) }
    },
  )

  app.post(
    path,
    {
      config: writes(project('commit_code')),
      schema: {
        summary: 'Add the changelog of a version to a file',
        description: 'With a commit. Sections of a file are sorted by their versions.',
        params: ById,
        body: NewChangelog,
        refuses: [409, 422],
        response: { 200: NoContent },
      },
    },
    async (req) => {
      const {
        branch: name,
        file = 'CHANGELOG.md',
        message = `Add changelog for version ${req.body.version}`,
      } = req.body
      const known = await requestedRepository(req)
      const { repository, branch } = await findBranch(known, name ?? known?.row.default_branch ?? '')
      const tip = branch.id
      const section = await make(req, repository, { ...wishesOf(req.body), to: req.body.to ?? tip })
      const before = await readText(repository, tip, file)
      await createCommit(req, repository, {
        branch: branch.name.slice('refs/heads/'.length),
        message,
        actions: [
          {
            action: before === undefined ? 'create' : 'update',
            file_path: file,
            content: insertSection(before ?? '', section),
            // Whoever has changed the file meanwhile does not lose it.
            ...(before !== undefined && { last_commit_id: tip }),
          },
        ],
      })
    },
  )
}

function wishesOf(asked: Static<typeof ChangelogQuery>): ChangelogWishes {
  const {
    version: name,
    from,
    to,
    date,
    trailer = 'Changelog',
    config_file: configFile,
    config_file_ref: configRef,
  } = asked
  const version = readVersion(name)
  if (version === undefined)
    throw invalidParameters([{ name: 'version', text: 'is invalid', missing: false }])
  return { name, version, from, to, date, trailer, configFile, configRef }
}

/** The text of a file; undefined when there is none. @throws 422 for what is no text, or too large */
async function readText(
  repository: StoredRepository,
  commit: string,
  path: string,
): Promise<string | undefined> {
  const entry = await findEntry(repository, commit, path)
  if (entry === undefined) return undefined
  if (entry.type !== 'blob') throw changelogFailed(`${path} is no file`)
  const file = await readObject(repository, entry.id, MOST_BYTES)
  return file?.content.toString('utf8')
}
