import { describe, expect, test } from 'vitest'
import { joined, licensed, opened } from './test-support.ts'

/** A merge request that the maintainer and the owner review. */
async function reviewed() {
  const p = await opened()
  await p.developer.put(p.path, { reviewer_ids: [p.maintainer.id, p.owner.id] })
  const say = async (who: typeof p.as.owner, body: string) => {
    const answer = await who.post(`${p.path}/notes`, { body })
    return [answer.status, answer.body.commands_changes, answer.body.summary ?? answer.body.message]
  }
  const status = async () => (await p.as.owner.get(p.path)).body.detailed_merge_status
  return { ...p, say, status }
}

const approvers = async ({ as, path }: Awaited<ReturnType<typeof reviewed>>) =>
  (await as.owner.get(`${path}/approvals`)).body.approved_by.map(
    ({ user }: { user: { id: number } }) => user.id,
  )

describe('/approve and /unapprove', () => {
  test('do what the routes do', async () => {
    const p = await reviewed()
    expect(await p.say(p.as.maintainer, '/approve')).toEqual([
      202,
      { review: 'approved' },
      ['Approved this merge request.'],
    ])
    expect(await approvers(p)).toEqual([p.maintainer.id])
    expect(await p.say(p.as.maintainer, '/approve')).toEqual([
      400,
      undefined,
      '400 Bad request - You cannot approve this merge request.',
    ])
    expect((await p.say(p.as.maintainer, 'Wait\n\n/unapprove'))[0]).toBe(201)
    expect(await approvers(p)).toEqual([])
    expect((await p.say(p.as.maintainer, '/unapprove'))[0]).toBe(400)
  })

  test('are refused to authors and others who may not', async () => {
    const p = await reviewed()
    for (const who of [p.as.developer, p.as.reporter]) expect((await p.say(who, '/approve'))[0]).toBe(400)
    await p.as.owner.post(p.settings, { require_reauthentication_to_approve: true })
    expect((await p.say(p.as.owner, '/approve'))[2]).toContain('Approving takes your password')
    const without = { require_reauthentication_to_approve: false }
    const committers = { merge_requests_disable_committers_approval: true }
    await p.as.owner.post(p.settings, { ...without, ...committers })
    expect((await p.say(p.as.owner, '/approve'))[0]).toBe(400)
    expect(await approvers(p)).toEqual([])
  })
})

describe('/request_changes and /submit_review', () => {
  test('end a review, and changes that are asked for are in the way of the merge', async () => {
    const p = await reviewed()
    await p.say(p.as.maintainer, '/approve')
    expect(await p.say(p.as.maintainer, '/request_changes')).toEqual([
      202,
      { review: 'requested_changes' },
      ['Requested changes of this merge request.'],
    ])
    expect(await approvers(p)).toEqual([])
    expect(await p.status()).toBe('requested_changes')
    expect((await p.say(p.as.maintainer, '/submit_review'))[1]).toEqual({ review: 'reviewed' })
    expect(await p.status()).toBe('mergeable')
    expect((await p.say(p.as.maintainer, '/submit_review approve'))[1]).toEqual({ review: 'approved' })
    expect((await p.say(p.as.owner, '/submit_review requested_changes'))[1]).toEqual({
      review: 'requested_changes',
    })
    expect((await p.say(p.as.owner, '/submit_review never'))[0]).toBe(400)
  })

  test('are refused to those who do not review', async () => {
    const p = await reviewed()
    const other = licensed(await joined(p))
    for (const command of ['/request_changes', '/submit_review'])
      expect((await p.say(other, command))[2]).toContain('You are no reviewer of this merge request.')
  })
})
