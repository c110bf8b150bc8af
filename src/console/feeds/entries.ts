import type { Static } from 'typebox'
import type { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import type { CommitEntity } from '#code/commits/entity.ts'
import type { TagEntity } from '#code/tags/entity.ts'
import type { FeedEntry } from '#platform/pages/atom-feed.ts'
import type { Issue } from '#planning/issues/entity.ts'

type Item = Pick<
  Static<typeof Issue> | Static<typeof ListedMergeRequest>,
  'title' | 'description' | 'web_url' | 'updated_at' | 'author'
>

/** An issue or merge request. */
export const itemEntry = ({ title, description, web_url, updated_at, author }: Item): FeedEntry => ({
  page: web_url,
  title,
  updated: updated_at,
  author: author?.name,
  summary: description ?? undefined,
})

export const commitEntry = (commit: Static<typeof CommitEntity>): FeedEntry => ({
  page: commit.web_url,
  title: commit.title,
  updated: commit.committed_date,
  author: commit.author_name,
  summary: commit.message,
})

/** @param project the address of its pages */
export const tagEntry = (tag: Static<typeof TagEntity>, project: string): FeedEntry => ({
  page: `${project}/-/tags/${encodeURIComponent(tag.name)}`,
  title: tag.name,
  updated: tag.created_at ?? tag.commit?.committed_date ?? '1970-01-01T00:00:00Z',
  author: tag.commit?.author_name,
  summary: tag.message ?? tag.commit?.title,
})
