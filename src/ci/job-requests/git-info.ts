import { branchOf, BRANCHES, TAGS } from '#code/git/names.ts'
import { resolve } from '#code/git/resolve.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { PipelineProject } from '../pipelines/pipeline-project.ts'
import type { JobToGive } from './job-to-give.ts'

/** Where a runner gets the commit from. */
export interface GitInfo {
  readonly repo_url: string
  readonly repo_object_format: 'sha1'
  readonly repo_is_public: boolean
  readonly ref: string
  readonly sha: string
  readonly before_sha: string
  readonly ref_type: 'branch' | 'tag'
  /** What `git fetch` is told. */
  readonly refspecs: readonly string[]
  /** How many commits of the history; 0 for all. */
  readonly depth: number
  readonly protected: boolean
}

/** The name that goes with a job's token where a password is asked for. */
export const TOKEN_USER = 'gitlab-ci-token'

/** The address of a repository with a job's token as its password. */
export function repositoryUrl(site: string, fullPath: string, token: string): string {
  const url = new URL(`${site}/${fullPath}.git`)
  url.username = TOKEN_USER
  url.password = token
  return url.href
}

/** Says which commit a job is for, and how to fetch it. The branch may have moved on or be gone: the commit is fetched by its id. */
export async function gitInfo(
  { pipeline, pipeline_id }: JobToGive,
  project: PipelineProject,
  repository: StoredRepository | undefined,
  { url, depth }: { readonly url: string; readonly depth: number },
): Promise<GitInfo> {
  const { ref, sha, before_sha, tag, protected: isProtected, merge_request_id } = pipeline
  const own = `+${sha}:refs/pipelines/${pipeline_id}`
  const isThere =
    merge_request_id === null &&
    repository !== undefined &&
    (await resolve(repository, ref, tag ? 'tags' : 'heads')) !== undefined
  const name = branchOf(ref) ?? ref
  const named = tag ? `+${TAGS}${name}:${TAGS}${name}` : `+${BRANCHES}${name}:refs/remotes/origin/${name}`
  const all = [`+${BRANCHES}*:refs/remotes/origin/*`, `+${TAGS}*:${TAGS}*`]
  return {
    repo_url: url,
    repo_object_format: 'sha1',
    repo_is_public: project.visibility === 'public',
    ref,
    sha,
    before_sha,
    ref_type: tag ? 'tag' : 'branch',
    refspecs: [own, ...(depth === 0 ? all : isThere ? [named] : [])],
    depth,
    protected: isProtected,
  }
}
