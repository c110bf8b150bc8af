import type { Feature } from '#platform/feature.ts'
import { branches } from './branches/index.ts'
import { changelogs } from './changelogs/index.ts'
import { commits } from './commits/index.ts'
import { commitNotes } from './commits/notes/index.ts'
import { defaultBranch } from './default-branch/index.ts'
import { exports } from './exports/index.ts'
import { files } from './files/index.ts'
import { forks } from './forks/index.ts'
import { goGet } from './go-get/index.ts'
import { gitHttp } from './git-http/index.ts'
import { approvals } from './merge-requests/approvals/index.ts'
import { draftNotes } from './merge-requests/draft-notes/index.ts'
import { mergeRequestDiffs } from './merge-requests/diffs/index.ts'
import { mergeRequests } from './merge-requests/index.ts'
import { mergeRequestPushOptions } from './merge-requests/push-options/index.ts'
import { mergeRequestPushes } from './merge-requests/pushes/index.ts'
import { suggestions } from './merge-requests/suggestions/index.ts'
import { lfs } from './lfs/index.ts'
import { lfsLocks } from './lfs-locks/index.ts'
import { imports } from './imports/index.ts'
import { shownPipelines } from './pipelines/index.ts'
import { protectedBranches } from './protected-branches/index.ts'
import { protectedReferences } from './protected-references/index.ts'
import { protectedTags } from './protected-tags/index.ts'
import { repositories } from './repositories/index.ts'
import { repositoryStorageMoves } from './repository-storage-moves/index.ts'
import { repositoryReading } from './repositories/reading.ts'
import { snippets } from './snippets/index.ts'
import { tags } from './tags/index.ts'
import { wikis } from './wikis/index.ts'

/** Repositories, and everything that is made of commits. */
export const code: readonly Feature[] = [
  repositories,
  repositoryStorageMoves,
  gitHttp,
  goGet,
  shownPipelines,
  repositoryReading,
  branches,
  tags,
  defaultBranch,
  forks,
  exports,
  imports,
  protectedReferences,
  protectedBranches,
  protectedTags,
  lfs,
  lfsLocks,
  files,
  // Before commits: what a merge request closes is closed by it, not by the message of its merge commit.
  mergeRequestPushes,
  mergeRequestPushOptions,
  commits,
  commitNotes,
  changelogs,
  mergeRequests,
  wikis,
  mergeRequestDiffs,
  approvals,
  draftNotes,
  suggestions,
  snippets,
]
