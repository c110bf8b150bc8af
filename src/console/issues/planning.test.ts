import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What one plans on the page of an issue: tasks, time, linked issues, and its project.

let p: Awaited<ReturnType<typeof w.project>>
let planner: Awaited<ReturnType<typeof signedIn>>
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  planner = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  reader = await signedIn(w)
})

async function issue(description = '', by = p.owner) {
  const { body } = await by.post(`/projects/${p.id}/issues`, { title: 'Plan', description })
  const address = `/projects/${p.id}/issues/${body.iid}`
  return { iid: body.iid, address, page: `/${p.fullPath}/-/issues/${body.iid}` }
}
type Made = Awaited<ReturnType<typeof issue>>

const read = async ({ address }: Made) => (await p.owner.get(address)).body
const shown = async (who: typeof planner, { page }: Made) => (await who.visitor.get(page, HERE)).text

/** Ticks as the script of the page does: its form has no place of its own. */
async function tick(who: typeof planner, { page }: Made, does: string, fields: Record<string, string>) {
  const { text } = await who.visitor.get(page, HERE)
  const token = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  return who.visitor.post(page, { authenticity_token: token, do: does, ...fields }, HERE)
}

test('tasks of a description are ticked by those who may change it', async () => {
  const one = await issue('Before\n\n- [ ] first\n- [ ] second')
  expect(await shown(planner, one)).toContain('data-tasks="tick"')
  expect(await shown(reader, one)).not.toContain('data-tasks')
  const done = { task: '1', of: '2', done: 'true' }
  expect((await tick(planner, one, 'tick', done)).status).toBe(303)
  expect(await read(one)).toMatchObject({ description: 'Before\n\n- [ ] first\n- [x] second' })
  expect(await shown(planner, one)).toContain('1 of 2 done')
  const refused = await tick(reader, one, 'tick', { ...done, done: 'false' })
  expect(refused.status).toBe(403)
  expect((await read(one)).description).toContain('- [x] second')
})

test('what changed meanwhile is not ticked, and what is no tick is refused', async () => {
  const one = await issue('- [ ] first')
  await p.owner.put(one.address, { description: '- [ ] zeroth\n- [ ] first' })
  const late = await tick(planner, one, 'tick', { task: '0', of: '1', done: 'true' })
  expect(late.status).toBe(409)
  expect(late.text).toContain('hese are not the tasks that you saw')
  expect((await read(one)).description).toBe('- [ ] zeroth\n- [ ] first')
  expect((await tick(planner, one, 'tick', { task: 'x', of: '1', done: 'true' })).status).toBe(400)
})

test('tasks of a comment are ticked by its author', async () => {
  const one = await issue()
  const { body } = await reader.user.post(`${one.address}/notes`, { body: '- [ ] mine' })
  const form = `tick-note/${body.id}`
  expect(await shown(reader, one)).toContain(`data-tasks="${form}"`)
  expect(await shown(planner, one)).not.toContain(`data-tasks="${form}"`)
  expect((await tick(reader, one, form, { task: '0', of: '1', done: 'true' })).status).toBe(303)
  expect((await p.owner.get(`${one.address}/notes/${body.id}`)).body.body).toBe('- [x] mine')
  expect((await tick(planner, one, form, { task: '0', of: '1', done: 'false' })).status).toBe(403)
})

test('time is estimated and spent', async () => {
  const one = await issue()
  expect(formsIn(await shown(reader, one))).not.toContain('spend')
  expect((await submit(planner.visitor, one.page, 'estimate', { duration: '1d' })).status).toBe(303)
  await submit(planner.visitor, one.page, 'spend', { duration: '1h 30m', summary: 'Reading' })
  expect((await read(one)).time_stats).toMatchObject({ time_estimate: 28_800, total_time_spent: 5_400 })
  expect((await shown(planner, one)).replaceAll(/\s+/g, ' ')).toContain('1h 30m spent of 1d')
  const wrong = await submit(planner.visitor, one.page, 'spend', { duration: 'soon' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('value="soon"')
  await submit(planner.visitor, one.page, 'forget-estimate')
  expect((await read(one)).time_stats.time_estimate).toBe(0)
})

test('issues are linked, and links removed', async () => {
  const [one, other] = [await issue(), await issue()]
  const link = {
    link_type: 'is_blocked_by',
    target_issue_iid: String(other.iid),
    target_project_id: p.fullPath,
  }
  expect((await submit(planner.visitor, one.page, 'link', link)).status).toBe(303)
  const text = await shown(planner, one)
  expect(text).toContain('<h3>Blocked by</h3>')
  expect(text).toContain(`href="${other.page}"`)
  expect(await shown(planner, other)).toContain('<h3>Blocks</h3>')
  expect(await shown(reader, one)).toContain(`href="${other.page}"`)
  expect(formsIn(await shown(reader, one)).filter((does) => /link/.test(does))).toEqual([])
  const twice = await submit(planner.visitor, one.page, 'link', link)
  expect(twice.status).toBe(409)
  const nowhere = await submit(planner.visitor, one.page, 'link', { ...link, target_issue_iid: '999' })
  expect(nowhere.status).toBe(404)
  expect(nowhere.text).toContain('value="999"')
  const remove = formsIn(text).find((does) => does.startsWith('unlink/')) ?? ''
  expect((await submit(planner.visitor, one.page, remove)).status).toBe(303)
  expect((await p.owner.get(`${one.address}/links`)).body).toEqual([])
})

test('an issue moves into another project of the planner', async () => {
  const one = await issue('Moves')
  const there = await w.project({ visibility: 'public' })
  await w.member(there.namespaceId, planner, 15)
  const edit = `${one.page}/edit`
  const moved = await submit(planner.visitor, edit, 'move', { to_project_id: String(there.id) })
  expect(moved).toMatchObject({ status: 303 })
  expect(moved.headers.location).toMatch(new RegExp(`^/${there.fullPath}/-/issues/\\d+$`))
  expect(await read(one)).toMatchObject({ state: 'closed' })
  const again = await submit(planner.visitor, edit, 'move', { to_project_id: String(there.id) })
  expect(again.status).toBe(400)
  const { page } = await issue('Theirs', reader.user)
  expect(formsIn((await reader.visitor.get(`${page}/edit`, HERE)).text)).not.toContain('move')
})

test('several issues of a list are changed at once', async () => {
  const two = await w.project({ visibility: 'public' })
  await w.member(two.namespaceId, planner, 15)
  const at = `/projects/${two.id}`
  for (const name of ['old', 'new']) await two.owner.post(`${at}/labels`, { name, color: '#b00' })
  for (const title of ['One', 'Two', 'Three'])
    await two.owner.post(`${at}/issues`, { title, labels: title === 'Three' ? '' : 'old' })
  const list = `/${two.fullPath}/-/issues`
  const page = `${list}/bulk_update?labels=old`
  expect((await planner.visitor.get(`${list}?labels=old`, HERE)).text).toContain(`href="${page}"`)
  const text = (await planner.visitor.get(page, HERE)).text
  expect([text.includes('#1 One'), text.includes('#3 Three')]).toEqual([true, false])
  const token = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const change = (fields: readonly (readonly [string, string])[]) =>
    planner.visitor.post(
      page,
      new URLSearchParams([
        ['authenticity_token', token],
        ['do', 'change'],
        ...fields.map(([a, b]) => [a, b]),
      ]),
      HERE,
    )
  const chosen = ['', '1', '2'].map((iid) => ['iids[]', iid] as const)
  const done = await change([
    ...chosen,
    ['state_event', 'close'],
    ['assignee_id', String(planner.id)],
    ['milestone_id', ''],
    ['add_labels[]', ''],
    ['add_labels[]', 'new'],
    ['remove_labels[]', 'old'],
  ])
  expect([done.status, done.headers.location]).toEqual([303, `${list}?labels=old`])
  const issues = (await two.owner.get(`${at}/issues?sort=asc`)).body
  expect(issues).toMatchObject([
    { iid: 1, state: 'closed', labels: ['new'], assignee: { id: planner.id } },
    { iid: 2, state: 'closed', labels: ['new'] },
    { iid: 3, state: 'opened', labels: [] },
  ])
  await change([...chosen, ['assignee_id', '0']])
  expect((await two.owner.get(`${at}/issues/1`)).body.assignees).toEqual([])
  const partly = await change([
    ['iids[]', '3'],
    ['iids[]', '99'],
    ['state_event', 'close'],
  ])
  expect(partly.status).toBe(400)
  expect(partly.text).toContain('1 issue is changed. Not changed: #99: ')
  expect((await two.owner.get(`${at}/issues/3`)).body.state).toBe('closed')
  expect((await change([['state_event', 'close']])).status).toBe(400)
  expect((await change(chosen)).text).toContain('Nothing is to be changed')
  const many = Array.from({ length: 10_000 }, (_, iid) => ['iids[]', String(iid)] as const)
  expect((await change([...many, ['state_event', 'close']])).status).toBe(400)
  expect((await change([...chosen, ['state_event', 'x'.repeat(1_000_000)]])).status).toBe(400)
  expect((await reader.visitor.get(page, HERE)).status).toBe(404)
})
