import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { person, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// The rules of approvals of one merge request.

test('rules of a merge request stand in for those of its project', async () => {
  const { url } = await w.licensed()
  const p = await branchedProject({ visibility: 'public' })
  const { body } = await openMergeRequest(p, p.developer)
  const overview = `/${p.fullPath}/-/merge_requests/${body.iid}`
  const page = `${overview}/approval_rules`
  const visit = async (level: 30 | 50 | undefined) => {
    const who = await person(w)
    if (level !== undefined) await w.member(p.namespaceId, who, level)
    const visitor = new Visitor(url)
    await visitor.signIn(who.username, who.password)
    return { ...who, visitor }
  }
  const developer = await visit(30)
  const reader = await visit(undefined)
  const owner = await visit(50)
  const shown = async ({ visitor }: typeof developer, at = page) => (await visitor.get(at, HERE)).text
  const rules = async () => {
    const address = `${url}/api/v4/projects/${p.id}/merge_requests/${body.iid}/approval_rules`
    return JSON.parse(await (await fetch(address, { headers: developer.user.headers })).text())
  }
  const ofProject = { name: 'Of all', approvals_required: '1', usernames: '', groups: '' }
  await submit(owner.visitor, `/${p.fullPath}/-/settings/merge_requests`, 'add-rule', ofProject)
  expect(await shown(developer, overview)).toContain(`href="${page}"`)

  const inherited = await shown(developer)
  for (const part of ['Rules of the project', 'Of all', 'Not met yet']) expect(inherited).toContain(part)
  expect(formsIn(inherited)).toEqual(['add-rule'])
  expect(formsIn(await shown(reader))).toEqual([])

  const own = { name: 'Own', approvals_required: '2', usernames: `@${owner.username}`, groups: '' }
  const few = await submit(developer.visitor, page, 'add-rule', { ...own, approvals_required: '0' })
  expect([few.status, few.text]).toEqual([400, expect.stringContaining('value="Own"')])
  const added = await submit(developer.visitor, page, 'add-rule', own)
  expect([added.status, added.headers.location]).toEqual([303, page])
  const [{ id }] = await rules()
  const now = await shown(developer)
  expect(now).toContain('Rules of this merge request')
  expect(formsIn(now)).toEqual([`change-rule/${id}`, `remove-rule/${id}`, 'add-rule'])
  expect(now).not.toContain('applies_to_all_protected_branches')
  await submit(developer.visitor, page, `change-rule/${id}`, { ...own, name: 'Changed' })
  expect(await rules()).toMatchObject([{ name: 'Changed', approvals_required: 2, users: [{ id: owner.id }] }])
  await submit(developer.visitor, page, `remove-rule/${id}`)
  expect(await rules()).toMatchObject([{ name: 'Of all' }])

  const keeps = { disable_overriding_approvers_per_merge_request: 'true' }
  await submit(owner.visitor, `/${p.fullPath}/-/settings/merge_requests`, 'save-demands', keeps)
  expect(formsIn(await shown(developer))).toEqual([])
})

test('without the plan there are none', async () => {
  const p = await branchedProject({ visibility: 'public' })
  const { body } = await openMergeRequest(p, p.developer)
  const { visitor } = await signedIn(w)
  const overview = `/${p.fullPath}/-/merge_requests/${body.iid}`
  expect((await visitor.get(overview, HERE)).text).not.toContain('approval_rules')
  expect((await visitor.get(`${overview}/approval_rules`, HERE)).status).toBe(404)
})
