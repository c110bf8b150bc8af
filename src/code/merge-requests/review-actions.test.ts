import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
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

test('/target_branch changes where the changes go, if there is such a branch', async () => {
  const p = await opened()
  expect(await p.say('/target_branch clash')).toEqual({
    commands_changes: { target_branch: 'clash' },
    summary: ['Set the target branch to clash.'],
  })
  const moved = await p.look()
  expect(moved).toMatchObject({ target_branch: 'clash', sha: expect.any(String) })
  const versions = (await p.developer.get(`${p.one}/versions`)).body
  expect(versions).toHaveLength(2)
  expect(versions[0].start_commit_sha).toBe(moved.diff_refs.start_sha)
  const why = async (body: string, by = p.developer) => (await p.say(body, by)).message
  expect(await why('/target_branch clash')).toContain('The target branch is clash already.')
  expect(await why('/target_branch none')).toContain('There is no branch none.')
  expect(await why('/target_branch feature')).toContain('The target branch cannot be the source branch.')
  expect(await why('/target_branch')).toContain('/target_branch needs a branch.')
  expect(await why('/target_branch main', p.reporter)).toContain('You may not use /target_branch here.')
  expect((await p.say('Now.\n/target_branch none\n/target_branch main')).summary).toEqual([
    'Only the last /target_branch counts.',
    'Set the target branch to main.',
  ])
  await p.developer.put(p.one, { state_event: 'close' })
  expect(await why('/target_branch clash')).toContain('This merge request is not open.')
})

test('commands of issues alone are told as such', async () => {
  const p = await opened()
  expect((await p.say('/weight 3')).message).toContain('/weight is only for issues.')
})

test('commands in descriptions work on new merge requests and when the description changes', async () => {
  const p = await branchedProject()
  await p.owner.post(`/projects/${p.id}/labels`, { name: 'loud', color: 'red' })
  const { path, body } = await openMergeRequest(p, p.developer, {
    description: 'Louder.\n/label ~loud\n/draft\n/target_branch clash\n/assign_reviewer me',
  })
  expect(body).toMatchObject({
    description: 'Louder.',
    labels: ['loud'],
    draft: true,
    target_branch: 'clash',
    reviewers: [{ id: p.developer.id }],
  })
  const changed = await p.developer.put(path, { description: 'Quieter.\n/ready\n/target_branch main' })
  expect(changed.body).toMatchObject({ description: 'Quieter.', draft: false, target_branch: 'main' })
  const again = await p.developer.put(path, { description: 'Quieter.', title: 'New' })
  expect(again.body).toMatchObject({ title: 'New', target_branch: 'main' })
})
