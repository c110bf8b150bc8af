import { CommitEntity } from '#code/commits/entity.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { withoutDraft } from '#code/merge-requests/draft.ts'
import { notPossible } from '#platform/refusals.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import { pageOf } from '../frame/project.ts'

/** What the forms of a merge request do besides talking. @param address its path in the API */
export function mergingActions(project: EitherProject, address: string): Actions {
  const put =
    (says: string, also: object, to = '') =>
    () =>
      asks({ method: 'PUT', path: `${address}${to}`, also: { ...also }, says })
  const post = (says: string, to: string) => () => asks({ method: 'POST', path: `${address}${to}`, says })
  return {
    close: put('The merge request is closed.', { state_event: 'close' }),
    reopen: put('The merge request is open again.', { state_event: 'reopen' }),
    ready: () => markReady(address),
    approve: post('You approved.', '/approve'),
    unapprove: post('Your approval is taken back.', '/unapprove'),
    merge: put('It is merged.', {}, '/merge'),
    'auto-merge': put('It merges as soon as nothing stands in the way.', { auto_merge: true }, '/merge'),
    'cancel-auto-merge': post(
      'It does not merge by itself any more.',
      '/cancel_merge_when_pipeline_succeeds',
    ),
    rebase: put('The rebase is under way.', {}, '/rebase'),
    revert: () => picks(project, address, 'revert'),
    'cherry-pick': () => picks(project, address, 'cherry_pick'),
  }
}

/** Takes the word that makes a draft from the title. */
const markReady =
  (address: string): Action =>
  async (api) => {
    const { title } = await api.get(MergeRequestSingle, address)
    await api.send('PUT', address, { title: withoutDraft(title) })
    return { says: 'It is ready.', to: undefined }
  }

/** Undoes on a branch what was merged, or does it there again. */
const picks =
  (project: EitherProject, address: string, kind: 'revert' | 'cherry_pick'): Action =>
  async (api, { branch }) => {
    const { merge_commit_sha, squash_commit_sha, sha } = await api.get(MergeRequestSingle, address)
    const commit = merge_commit_sha ?? squash_commit_sha ?? sha
    if (commit === '') throw notPossible('405 Method Not Allowed - there is no commit of it')
    const to = path`/projects/${project.id}/repository/commits/${commit}/${kind}`
    const made = await api.sendFor(CommitEntity, 'POST', to, { branch })
    const says = kind === 'revert' ? 'It is reverted by this commit.' : 'It is picked by this commit.'
    return { says, to: pageOf(project, `commit/${made.id}`) }
  }
