import { type Static, Type } from 'typebox'
import { entity, hash, integer, moment, nullable } from '#platform/http/schema.ts'
import { PipelineBasic } from '../pipelines/entity.ts'
import type { Commit } from '#code/git/commit.ts'
import type { DiffStats } from '#code/git/diff.ts'
import type { Trailer } from '#code/git/trailers.ts'

const stats = Type.Object({ additions: integer(), deletions: integer(), total: integer() })

/** The time keeps the zone of whoever wrote the commit. */
const when = () => moment({ description: 'With the offset of the zone in which it was written.' })

/** A commit as lists have it. */
export const CommitEntity = entity('Commit', {
  id: Type.String(),
  short_id: Type.String(),
  created_at: when(),
  parent_ids: Type.Array(Type.String()),
  title: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  author_email: Type.String(),
  authored_date: when(),
  committer_name: Type.String(),
  committer_email: Type.String(),
  committed_date: when(),
  trailers: hash(Type.String(), { description: 'The last value of each trailer.' }),
  extended_trailers: hash(Type.Array(Type.String()), { description: 'All values of each trailer.' }),
  web_url: Type.String(),
  stats: Type.Optional(stats),
})

/** A commit with everything. */
export const CommitDetail = entity('CommitDetail', {
  ...CommitEntity.properties,
  status: nullable(Type.String({ description: 'The status of its last pipeline.' })),
  project_id: integer(),
  last_pipeline: nullable(PipelineBasic),
})

/** What else is known of a commit that is presented. */
export interface CommitMore {
  /** The address of the project's pages. */
  readonly projectUrl: string
  readonly stats?: ReadonlyMap<string, DiffStats> | undefined
  readonly trailers?: ReadonlyMap<string, readonly Trailer[]> | undefined
}

export function presentCommit(
  commit: Commit,
  { projectUrl, stats, trailers }: CommitMore,
): Static<typeof CommitEntity> {
  const { id, author, committer } = commit
  const ownStats = stats?.get(id)
  return {
    id,
    short_id: id.slice(0, 8),
    created_at: committer.at,
    parent_ids: [...commit.parents],
    title: commit.title,
    message: commit.message,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.at,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.at,
    ...presentTrailers(trailers?.get(id) ?? []),
    web_url: `${projectUrl}/-/commit/${id}`,
    ...(ownStats && { stats: { ...ownStats, total: ownStats.additions + ownStats.deletions } }),
  }
}

function presentTrailers(trailers: readonly Trailer[]) {
  const extended = new Map<string, string[]>()
  for (const [key, value] of trailers) extended.set(key, [...(extended.get(key) ?? []), value])
  return { trailers: Object.fromEntries(trailers), extended_trailers: Object.fromEntries(extended) }
}
