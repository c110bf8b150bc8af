import { expect, test } from 'vitest'
import { person, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What a project demands of approvals: rules, and what approvals must be.

test('rules of approvals are added, changed and removed', async () => {
  const { url } = await w.licensed()
  const group = await w.group()
  const p = await w.project({ parent: group.id })
  const who = await person(w)
  await w.member(group.id, who, 50)
  const visitor = new Visitor(url)
  await visitor.signIn(who.username, who.password)
  const page = `/${p.fullPath}/-/settings/merge_requests`
  const send = (does: string, fields: Record<string, string> = {}) => submit(visitor, page, does, fields)
  const read = async (what: string) => {
    const answer = await fetch(`${url}/api/v4/projects/${p.id}/${what}`, { headers: who.user.headers })
    return JSON.parse(await answer.text())
  }
  const added = await send('add-rule', {
    name: 'Security',
    approvals_required: '2',
    usernames: `@${who.username}, `,
    groups: group.fullPath,
    applies_to_all_protected_branches: 'true',
  })
  expect(added.status).toBe(303)
  const [rule] = await read('approval_rules')
  expect(rule).toMatchObject({
    name: 'Security',
    approvals_required: 2,
    rule_type: 'regular',
    users: [{ id: who.id }],
    groups: [{ id: group.id }],
    applies_to_all_protected_branches: true,
  })
  const text = (await visitor.get(page, HERE)).text
  expect(text).toContain('protected branches alone')
  const change = { name: 'Two', approvals_required: '1', usernames: who.username, groups: '' }
  await send(`change-rule/${rule.id}`, { ...change, applies_to_all_protected_branches: 'false' })
  expect((await read('approval_rules'))[0]).toMatchObject({ name: 'Two', approvals_required: 1, groups: [] })
  for (const [field, value, says] of [
    ['groups', 'no/such-group', 'has no group here with the path no/such-group'],
    ['groups', Array.from({ length: 11 }, (_, n) => `g${n}`).join(','), 'are too many'],
    ['approvals_required', '101', 'approvals_required'],
  ] as const) {
    const refused = await send(`change-rule/${rule.id}`, { ...change, [field]: value })
    expect([refused.status, refused.text.includes(`value="${value}"`)]).toEqual([400, true])
    expect(refused.text).toContain(says)
  }
  await send('save-demands', { merge_requests_author_approval: 'true', reset_approvals_on_push: 'false' })
  expect(await read('approvals')).toMatchObject({
    merge_requests_author_approval: true,
    reset_approvals_on_push: false,
  })
  await send(`remove-rule/${rule.id}`)
  expect(await read('approval_rules')).toEqual([])
})

test('without a plan, the page says what it takes; others than Maintainers are told that there is none', async () => {
  const p = await w.project({ visibility: 'public' })
  const [maintainer, developer] = [await signedIn(w), await signedIn(w)]
  await w.member(p.namespaceId, maintainer, 40)
  await w.member(p.namespaceId, developer, 30)
  const page = `/${p.fullPath}/-/settings/merge_requests`
  const { text } = await maintainer.visitor.get(page, HERE)
  expect(text).toContain('Premium')
  expect(formsIn(text)).toEqual([])
  expect((await developer.visitor.get(page, HERE)).status).toBe(404)
})
