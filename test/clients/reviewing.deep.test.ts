import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

const { url } = await w.licensed()

describe('people who review a merge request', () => {
  test('with @gitbeaker/rest', async () => {
    const p = await branchedProject()
    const { body } = await openMergeRequest(p, p.developer)
    const { id, maintainer } = p
    const api = new Gitlab({ host: url, token: maintainer.token })

    expect((await api.MergeRequests.allCommits(id, 1)).map(({ title }) => title)).toEqual([
      'Add c',
      'Say it aloud',
    ])
    const diffs = await api.MergeRequests.allDiffs(id, 1)
    expect(diffs.map(({ new_path }) => new_path)).toEqual(['a.txt', 'b.txt', 'c.txt'])
    const [version] = await api.MergeRequests.allDiffVersions(id, 1)
    const shown = await api.MergeRequests.showDiffVersion(id, 1, version?.id ?? 0)
    expect(shown.diffs).toHaveLength(3)

    const position = {
      baseSha: body.diff_refs.base_sha,
      startSha: body.diff_refs.start_sha,
      headSha: body.diff_refs.head_sha,
      positionType: 'text',
      newPath: 'a.txt',
      oldPath: 'a.txt',
      newLine: '2',
    } as const
    const thread = await api.MergeRequestDiscussions.create(id, 1, 'Why?', { position })
    expect(thread.notes?.[0]).toMatchObject({ type: 'DiffNote', resolved: false, position: { new_line: 2 } })
    await api.MergeRequestDiscussions.addNote(id, 1, thread.id, 'Because.')
    const resolved = await api.MergeRequestDiscussions.resolve(id, 1, thread.id, true)
    expect(resolved.notes?.map((note) => note['resolved'])).toEqual([true, true])

    const rule = await api.MergeRequestApprovals.createApprovalRule(id, 'Security', 1, {
      userIds: [maintainer.id],
    })
    expect(rule).toMatchObject({ name: 'Security', approvals_required: 1 })
    expect(await api.MergeRequestApprovals.allApprovalRules(id)).toHaveLength(1)
    await api.MergeRequestApprovals.approve(id, 1)
    expect(await api.MergeRequestApprovals.showApprovalState(id, 1)).toMatchObject({
      rules: [{ approved: true, approved_by: [{ id: maintainer.id }] }],
    })
    expect(await api.MergeRequestApprovals.showConfiguration(id)).toMatchObject({
      reset_approvals_on_push: true,
    })
    await api.MergeRequestApprovals.unapprove(id, 1)
    const left = await api.MergeRequestApprovals.showConfiguration(id, { mergerequestIId: 1 })
    expect(left).toMatchObject({ approved_by: [], approvals_left: 1 })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    const p = await branchedProject()
    await openMergeRequest(p, p.developer)
    await expectHeld('reviewing.py', url, p.maintainer.token, p.id)
  })
})
