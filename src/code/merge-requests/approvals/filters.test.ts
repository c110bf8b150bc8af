import { describe, expect, test } from 'vitest'
import { titles } from '#planning/issues/test-support.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { joined, opened } from './test-support.ts'

/**
 * A project whose rule names its maintainer for every branch and its owner for the protected branch `main` alone. `ours` goes into `main`,
 * `theirs` into `clash`, and `own` has a rule of its own, which names a developer.
 */
async function ruled() {
  const p = await opened()
  const other = await joined(p)
  await p.maintainer.put(p.path, { title: 'ours' })
  const all = `/projects/${p.id}/merge_requests`
  await openMergeRequest(p, p.developer, { title: 'theirs', target_branch: 'clash' })
  await openMergeRequest(p, p.developer, { title: 'own', source_branch: 'clash' })
  const { body: branch } = await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'main' })
  const { id } = branch.id === undefined ? await protectedMain(p) : branch
  const one = { approvals_required: 1 }
  await p.as.owner.post(p.rules, { ...one, name: 'Every', user_ids: [p.maintainer.id] })
  const ofMain = { ...one, name: 'Main', user_ids: [p.owner.id], protected_branch_ids: [id] }
  await p.as.owner.post(p.rules, ofMain)
  const own = { approvals_required: 2, name: 'Own', user_ids: [other.id] }
  expect((await p.as.owner.post(`${all}/3/approval_rules`, own)).status).toBe(201)
  const found = async (query: string, by = p.as.owner, path = all) => {
    const answer = await by.get(`${path}?${query}`)
    expect([answer.status, answer.headers.get('x-total')]).toEqual([200, `${answer.body.length}`])
    return titles(answer).toSorted()
  }
  return { ...p, all, other, found }
}

async function protectedMain(p: Awaited<ReturnType<typeof opened>>) {
  const { body } = await p.owner.get(`/projects/${p.id}/protected_branches`)
  return body.find(({ name }: { name: string }) => name === 'main')
}

describe('lists of merge requests', () => {
  test('by approvers go by the people whom the rules name that count', async () => {
    const { found, ...p } = await ruled()
    expect(await found(`approver_ids[]=${p.maintainer.id}`)).toEqual(['ours', 'theirs'])
    expect(await found(`approver_ids=${p.owner.id},${p.maintainer.id}`)).toEqual(['ours'])
    expect(await found(`approver_ids=${p.other.id}`)).toEqual(['own'])
    expect(await found(`approver_ids=${p.other.id},${p.owner.id}`)).toEqual([])
    expect(await found('approver_ids=999999999')).toEqual([])
    expect(await found('approver_ids=Any')).toEqual(['ours', 'own', 'theirs'])
    expect(await found('approver_ids=None')).toEqual([])
    const everywhere = `scope=all&approver_ids=${p.other.id}`
    expect(await found(everywhere, p.as.owner, '/merge_requests')).toEqual(['own'])
    expect(await found(everywhere, p.as.owner, `/groups/${p.groupId}/merge_requests`)).toEqual(['own'])
  })

  test('by who approved, and by whether that is enough', async () => {
    const { found, ...p } = await ruled()
    for (const iid of [1, 2, 3])
      expect((await p.as.maintainer.post(`${p.all}/${iid}/approve`)).status).toBe(201)
    expect((await p.as.owner.post(`${p.all}/2/approve`)).status).toBe(201)
    expect(await found(`approved_by_ids=${p.maintainer.id},${p.owner.id}`)).toEqual(['theirs'])
    expect(await found(`approved_by_usernames[]=${p.owner.username.toUpperCase()}`)).toEqual(['theirs'])
    expect(await found('approved_by_ids=None')).toEqual([])
    expect(await found('approved_by_ids=Any')).toEqual(['ours', 'own', 'theirs'])
    // `ours` lacks the owner, and `own` the developer whom its own rule names.
    expect(await found('approved=yes')).toEqual(['theirs'])
    expect(await found('approved=no')).toEqual(['ours', 'own'])
    expect((await p.as.owner.post(`${p.all}/1/approve`)).status).toBe(201)
    expect(await found('approved=yes')).toEqual(['ours', 'theirs'])
    // Where the plan has no rules, any approval is enough.
    expect(await found('approved=yes', p.owner)).toEqual(['ours', 'own', 'theirs'])
  })
})
