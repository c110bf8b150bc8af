import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('@gitbeaker/rest', () => {
  test('lists merge requests and the people on them', async () => {
    const p = await branchedProject()
    const api = new Gitlab({ host: w.url, token: p.developer.token })
    await openMergeRequest(p, p.developer, { reviewer_ids: [p.owner.id], labels: 'loud' })
    const wanted = { scope: 'all', reviewerId: p.owner.id } as const
    for (const found of [
      await api.MergeRequests.all({ projectId: p.id, state: 'opened', labels: 'loud' }),
      await api.MergeRequests.all({ groupId: p.groupId, orderBy: 'updated_at' }),
      await api.MergeRequests.all(wanted),
      await api.MergeRequests.all({ authorId: p.developer.id }),
    ])
      expect(found).toMatchObject([{ iid: 1, title: 'Say it aloud', project_id: p.id }])
    expect(await api.MergeRequests.allParticipants(p.id, 1)).toHaveLength(2)
    expect(await api.MergeRequests.showReviewers(p.id, 1)).toMatchObject([
      { user: { id: p.owner.id }, state: 'unreviewed' },
    ])
    expect(await api.MergeRequests.setTimeEstimate(p.id, 1, '3h')).toMatchObject({ time_estimate: 10_800 })
    expect(await api.MergeRequests.addSpentTime(p.id, 1, '1h')).toMatchObject({ total_time_spent: 3_600 })
    await api.MergeRequests.unsubscribe(p.id, 1)
    expect(await api.MergeRequests.subscribe(p.id, 1)).toMatchObject({ iid: 1, subscribed: true })
    expect(await api.MergeRequests.allIssuesClosed(p.id, 1)).toEqual([])
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('lists merge requests and the people on them', { timeout: 180_000 }, async () => {
    const p = await branchedProject()
    const { token, username } = p.developer
    await expectHeld('merge-request-lists.py', w.url, token, p.id, username)
  })
})
