import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '../../../test/merge-requests.ts'
import { reviewerActions } from './review-actions.ts'

async function opened() {
  const p = await branchedProject()
  const { path } = await openMergeRequest(p, p.developer)
  const say = async (body: string, by = p.developer) => (await by.post(`${path}/notes`, { body })).body
  return { ...p, one: path, say, look: async () => (await p.developer.get(path)).body }
}

test('the guide shows every action of merge requests as it is', () => {
  const page = readFileSync(new URL('../../../docs/guides/quick-actions.md', import.meta.url), 'utf8')
  const [, section = ''] = /## Quick actions of merge requests(.*?)\n## /s.exec(page) ?? []
  for (const [name, { aliases = [], does }] of Object.entries(reviewerActions)) {
    const names = [name, ...aliases].map((one) => `\`/${one}\``).join(', ')
    expect(section).toMatch(new RegExp(`\\| ${names} +\\|.*\\| ${does}`))
  }
})

test('/draft and /ready change the title, and each only once', async () => {
  const p = await opened()
  expect((await p.say('/draft')).summary).toEqual(['Marked this merge request as a draft.'])
  expect(await p.look()).toMatchObject({ title: 'Draft: Say it aloud', draft: true })
  expect((await p.say('/draft')).message).toContain('This merge request is a draft already.')
  await p.say('/ready')
  expect(await p.look()).toMatchObject({ title: 'Say it aloud', draft: false })
  expect((await p.say('/ready')).message).toContain('This merge request is ready already.')
})

test('reviewers are asked, replaced and removed', async () => {
  const p = await opened()
  const { owner, maintainer } = p
  const reviewers = async () => (await p.look()).reviewers.map(({ id }: { id: number }) => id)
  expect(await p.say(`/request_review @${owner.username}`)).toMatchObject({
    commands_changes: { reviewer_ids: [owner.id] },
    summary: [`Requested a review from @${owner.username}.`],
  })
  await p.say(`/reviewer @${maintainer.username}`)
  expect(new Set(await reviewers())).toEqual(new Set([owner.id, maintainer.id]))
  await p.say(`/remove_reviewer @${owner.username}`)
  expect(await reviewers()).toEqual([maintainer.id])
  await p.say(`/reassign_reviewer @${owner.username}`)
  expect(await reviewers()).toEqual([owner.id])
  await p.say('/unassign_reviewer')
  expect(await reviewers()).toEqual([])
  expect((await p.say('/assign_reviewer me', p.reporter)).message).toContain(
    'You may not use /assign_reviewer here.',
  )
})

test('time and reactions work as on issues', async () => {
  const p = await opened()
  await p.say('/estimate 2h\n/spend 1h\n/award :thumbsup:')
  expect(await p.look()).toMatchObject({
    time_stats: { time_estimate: 7_200, total_time_spent: 3_600 },
    upvotes: 1,
  })
  expect((await p.say('/spend 1h', p.reporter)).message).toContain('You may not use /spend here.')
  expect((await p.say('/award :heart:', p.reporter)).summary).toEqual(['Toggled :heart:.'])
})
