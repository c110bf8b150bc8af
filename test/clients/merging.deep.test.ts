import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who merge', () => {
  test('with @gitbeaker/rest', async () => {
    const { id, maintainer } = await branchedProject()
    const api = new Gitlab({ host: w.url, token: maintainer.token })
    const { iid } = await api.MergeRequests.create(id, 'feature', 'main', 'Say it aloud')
    expect(await api.MergeRequests.rebase(id, iid)).toMatchObject({ rebase_in_progress: true })
    await expect
      .poll(() => api.MergeRequests.show(id, iid, { includeRebaseInProgress: true }))
      .toMatchObject({ rebase_in_progress: false, detailed_merge_status: 'mergeable' })
    const merged = await api.MergeRequests.merge(id, iid, { squash: true, shouldRemoveSourceBranch: true })
    expect(merged).toMatchObject({ state: 'merged', squash: true, merge_user: { id: maintainer.id } })
    expect(merged.squash_commit_sha).not.toBeNull()
    await expect(api.Branches.show(id, 'feature')).rejects.toThrow(/Not Found/)
    const other = await api.MergeRequests.create(id, 'clash', 'main', 'Draft: Say it in German')
    await expect(api.MergeRequests.merge(id, other.iid)).rejects.toThrow(/Method Not Allowed/)
    await api.MergeRequests.edit(id, other.iid, { title: 'Say it in German' })
    await expect(api.MergeRequests.merge(id, other.iid)).rejects.toThrow(/cannot be merged/)
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', async () => {
    const { id, maintainer } = await branchedProject()
    await expectHeld('merging.py', w.url, maintainer.token, id)
  })
})
