import type { Commit } from '#code/git/commit.ts'
import { changedFiles, EMPTY_TREE } from '#code/git/changed-files.ts'
import { TooMuchForGit } from '#code/git/errors.ts'
import type { Repository } from '#code/git/repository.ts'

/** Files of each kind that a payload names for a commit. */
const MOST_FILES = 1_000

/** A commit as payloads show it. @param projectUrl the page of its project */
export const presentHookCommit = (commit: Commit, projectUrl: string) => ({
  id: commit.id,
  message: commit.message,
  title: commit.title,
  timestamp: commit.committer.at.replace(/\.\d+/, ''),
  url: `${projectUrl}/-/commit/${commit.id}`,
  author: { name: commit.author.name, email: commit.author.email },
})

/** The same with the files that it adds, modifies and removes. */
export async function withFiles(repository: Repository, commit: Commit, projectUrl: string) {
  const changes = await filesOf(repository, commit)
  const paths = (those: readonly { readonly path: string }[]) =>
    those.slice(0, MOST_FILES).map(({ path }) => path)
  const moved = changes.filter(({ status }) => status === 'renamed')
  const of = (...statuses: readonly string[]) =>
    changes.filter(({ status }) => statuses.includes(status)).map(({ newPath }) => ({ path: newPath }))
  return {
    ...presentHookCommit(commit, projectUrl),
    added: paths(of('added', 'copied', 'renamed')),
    modified: paths(of('modified', 'type changed')),
    removed: paths([
      ...changes.filter(({ status }) => status === 'deleted').map(({ oldPath }) => ({ path: oldPath })),
      ...moved.map(({ oldPath }) => ({ path: oldPath })),
    ]),
  }
}

async function filesOf(repository: Repository, { id, parents }: Commit) {
  try {
    return await changedFiles(repository, parents[0] ?? EMPTY_TREE, id)
  } catch (error) {
    if (error instanceof TooMuchForGit) return []
    throw error
  }
}
