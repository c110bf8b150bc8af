import { Branch } from '#code/branches/entity.ts'
import { CommitDetail } from '#code/commits/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import type { Action } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf } from '../frame/lists.ts'
import { pageOf, slashed } from '../frame/project.ts'
import { findPlace, type Place, placeIn } from './references.ts'

/** A place that somebody writes to. */
export interface WritingPlace extends Place {
  /** The commit that the reference names; undefined where there is none. */
  readonly commit: string | undefined
  /** Undefined for a tag or a commit, on which nothing can be written. */
  readonly branch: { readonly name: string; readonly canPush: boolean } | undefined
}

/** What an address names by a reference and a path, whether something is at the path or not. */
export async function writingPlace(api: Api, project: EitherProject, named: string): Promise<WritingPlace> {
  const found = await findPlace(api, project, named, (place) => referenceOf(api, project, place))
  return found ?? { ...placeIn(named), commit: undefined, branch: undefined }
}

async function referenceOf(
  api: Api,
  project: EitherProject,
  place: Place,
): Promise<WritingPlace | undefined> {
  const repository = path`/projects/${project.id}/repository`
  const branch = await api.find(Branch, `${repository}${path`/branches/${place.ref}`}`)
  if (branch !== undefined)
    return { ...place, commit: branch.commit.id, branch: { name: branch.name, canPush: branch.can_push } }
  const commit = await api.find(CommitDetail, `${repository}${path`/commits/${place.ref}`}`, { stats: false })
  return commit && { ...place, commit: commit.id, branch: undefined }
}

/** What a form does with a file: one action of the commits API, and where the file is then; undefined when it is gone. */
export interface FileAction {
  readonly action: Readonly<Record<string, unknown>>
  readonly says: string
  readonly at: string | undefined
}

/** Commits what a form sent, to the branch of the place, or to a new one that becomes a merge request. */
export const commits =
  (
    project: EitherProject,
    place: WritingPlace,
    actionOf: (parameters: Readonly<Record<string, unknown>>) => FileAction,
  ): Action =>
  async (api, parameters) => {
    const { action, says, at } = actionOf(parameters)
    const { branch, commit_message } = parameters
    await api.send('POST', path`/projects/${project.id}/repository/commits`, {
      branch,
      commit_message,
      ...startOf(place, branch),
      actions: [action],
    })
    const name = typeof branch === 'string' ? branch : ''
    const isNew = place.commit !== undefined && name !== place.branch?.name
    if (isNew && project.merge_requests_enabled !== false)
      return {
        says: `${says} It is on the new branch ${name}.`,
        to: addressOf(pageOf(project, 'merge_requests/new'), {
          'merge_request[source_branch]': name,
          'merge_request[target_branch]': place.branch?.name,
        }),
      }
    const there = at === undefined ? `tree/${slashed(name)}` : `blob/${slashed(name)}/${slashed(at)}`
    return { says, to: pageOf(project, there) }
  }

/** Where another branch than the one of the place begins. In an empty repository, there is nothing to begin with. */
function startOf({ commit, branch: onto }: WritingPlace, branch: unknown): Readonly<Record<string, string>> {
  if (commit === undefined || branch === onto?.name) return {}
  return onto === undefined ? { start_sha: commit } : { start_branch: onto.name }
}
