import type { FastifyRequest } from 'fastify'
import { projectUrlOf } from '#code/commits/present.ts'
import { TAGS } from '#code/git/names.ts'
import { listReferences } from '#code/git/references.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { notFound } from '#platform/refusals.ts'
import { findAuthors } from './authors.ts'
import { type ChangelogCommit, commitsBetween } from './commits-between.ts'
import { type ChangelogConfig, CONFIG_FILE, readConfig } from './config.ts'
import { changelogFailed } from './failure.ts'
import { formatDate } from './format-date.ts'
import type { Section } from './insert-section.ts'
import { introducedBy } from './introduced-by.ts'
import { mergedWith } from './merged.ts'
import { fillIn, type Value, type Values } from './template.ts'
import { tagBefore, type Version } from './versions.ts'

export interface ChangelogWishes {
  /** As the title of the section has it. */
  readonly name: string
  readonly version: Version
  readonly from: string | undefined
  readonly to: string | undefined
  /** ISO 8601 */
  readonly date: string | undefined
  readonly trailer: string
  readonly configFile: string | undefined
  readonly configRef: string | undefined
}

/** A commit that is in a changelog, and what it is about. */
interface Entry {
  readonly commit: ChangelogCommit
  readonly category: string
}

/**
 * Makes the section of a version of the commits that have a trailer.
 * @throws 404 for commits that are not there; 422 for everything else that is in the way
 */
export async function makeChangelog(
  req: FastifyRequest,
  repository: StoredRepository,
  wishes: ChangelogWishes,
): Promise<Section> {
  const [to, configCommit] = await Promise.all([
    commitAt(repository, wishes.to),
    commitAt(repository, wishes.configRef),
  ])
  const config = await readConfig(repository, configCommit, wishes.configFile ?? CONFIG_FILE)
  const from = await startOf(repository, wishes, config)
  const { commits, reverted } = await commitsBetween(repository, from, to)
  const entries = commits.flatMap((commit): Entry[] => {
    const category = commit.trailers.findLast(([key]) => key === wishes.trailer)?.[1]
    return category === undefined || reverted.has(commit.id) ? [] : [{ commit, category }]
  })
  const present = await presenterFor(req, { commits, entries, to, config })
  const date = wishes.date === undefined ? req.server.services.clock.now() : new Date(wishes.date)
  const body = fillIn(config.template, { categories: categoriesOf(entries, config, present) })
  return {
    version: wishes.version,
    title: `## ${wishes.name} (${formatDate(date, config.dateFormat)})`,
    body: `${body.replace(/\n{3,}/g, '\n\n').trim()}\n`,
  }
}

async function commitAt(repository: StoredRepository, name: string | undefined): Promise<string> {
  const id = await requestedCommit(repository, name)
  if (id === undefined) throw notFound('Commit')
  return id
}

const NO_START = 'The commit start range is unspecified, and no previous tag could be found to use instead'

async function startOf(
  repository: StoredRepository,
  { from, version }: ChangelogWishes,
  { tagPattern }: ChangelogConfig,
): Promise<string> {
  if (from !== undefined) return commitAt(repository, from)
  const tags = (await listReferences(repository, TAGS)).map(({ name }) => name.slice(TAGS.length))
  const tag = await tagBefore(tags, version, tagPattern)
  if (tag === undefined) throw changelogFailed(NO_START)
  return commitAt(repository, TAGS + tag)
}

type Present = (commit: ChangelogCommit) => Value

interface Found {
  readonly commits: readonly ChangelogCommit[]
  readonly entries: readonly Entry[]
  readonly to: string
  readonly config: ChangelogConfig
}

/** Looks up who wrote the entries and which merge requests brought them. */
async function presenterFor(req: FastifyRequest, { commits, entries, to, config }: Found): Promise<Present> {
  const { container, can } = req.project()
  const { db } = req.server
  const addresses = entries.map(({ commit }) => commit.authorEmail)
  const ids = commits.map(({ id }) => id)
  const looksFor = entries.length > 0 && can('read_merge_request')
  const [authors, merged] = await Promise.all([
    findAuthors(db, {
      viewer: req.viewer,
      namespaceId: container.namespace_id,
      addresses,
      groups: config.includeGroups,
    }),
    looksFor ? mergedWith(db, container.id, ids) : [],
  ])
  const introduced = introducedBy(commits, to, merged)
  const url = projectUrlOf(req)
  const path = container.full_path
  return ({ id, title, authorEmail, trailers }) => {
    const author = authors.get(authorEmail.toLowerCase())
    const iid = introduced.get(id)
    return {
      title,
      commit: {
        reference: `${path}@${id}`,
        web_url: `${url}/-/commit/${id}`,
        trailers: trailers.length === 0 ? undefined : Object.fromEntries(trailers),
      },
      author: author && {
        reference: `@${author.username}`,
        contributor: author.contributor,
        credit: author.credit,
      },
      merge_request:
        iid === undefined
          ? undefined
          : { reference: `${path}!${iid}`, web_url: `${url}/-/merge_requests/${iid}` },
    }
  }
}

/** Categories in the order of the configuration, and after them in that of their latest commits. */
function categoriesOf(
  entries: readonly Entry[],
  { categories }: ChangelogConfig,
  present: Present,
): readonly Values[] {
  const byTitle = new Map<string, Value[]>([...categories.values()].map((title) => [title, []]))
  for (const { commit, category } of entries) {
    const title = categories.get(category) ?? category
    const list = byTitle.get(title)
    if (list === undefined) byTitle.set(title, [present(commit)])
    else list.push(present(commit))
  }
  return [...byTitle]
    .filter(([, list]) => list.length > 0)
    .map(([title, list]) => ({ title, count: list.length, single_change: list.length === 1, entries: list }))
}
