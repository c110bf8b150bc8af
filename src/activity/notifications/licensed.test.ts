import { afterAll, beforeAll, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { sendingMails } from '#test/mail-world.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'
import { subjectsOf, todosOf } from './test-support.ts'

// The rows of the table of notification email events that need a plan.

let own: World
beforeAll(async () => {
  own = await openWorld(undefined, 'premium', sendingMails)
}, 60_000)
afterAll(() => own.running.stop())

const choose = (by: Actor, place: string, event: string) =>
  by.put(`${place}/notification_settings`, { level: 'custom', [event]: true })

test('new_epic is sent to who chose it', async () => {
  const group = await own.group()
  await choose(group.guest, `/groups/${group.id}`, 'new_epic')
  await choose(group.planner, `/groups/${group.id}`, 'new_issue')
  expect((await group.owner.post(`/groups/${group.id}/epics`, { title: 'A year' })).status).toBe(201)
  const name = group.fullPath.split('/').at(-1)
  expect(await subjectsOf(group.guest, own)).toEqual([`${name} | A year (&1)`])
  expect(await subjectsOf(group.planner, own)).toEqual([])
  const { body: todo } = await group.reporter.post(`/groups/${group.id}/epics/1/todo`)
  expect(todo).toMatchObject({ target_type: 'Epic', action_name: 'marked', group: { id: group.id } })
  expect((await group.reporter.post(`/groups/${group.id}/epics/1/todo`)).status).toBe(304)
})

test('approver is sent to who chose it and may approve, and they have something to do', async () => {
  const p = await own.project()
  const other = await own.user()
  await own.member(p.namespaceId, other, levels.maintainer)
  for (const one of [p.maintainer, other]) await choose(one, `/projects/${p.id}`, 'approver')
  const commit = (branch: string, more: object = {}) =>
    p.owner.post(`/projects/${p.id}/repository/commits`, {
      branch,
      commit_message: branch,
      actions: [{ action: 'create', file_path: branch, content: branch }],
      ...more,
    })
  expect((await commit('main')).status).toBe(201)
  expect((await commit('feature', { start_branch: 'main' })).status).toBe(201)
  const rule = { name: 'Wise', approvals_required: 1, user_ids: [p.maintainer.id] }
  expect((await p.owner.post(`/projects/${p.id}/approval_rules`, rule)).status).toBe(201)
  const wanted = { title: 'Say it', source_branch: 'feature', target_branch: 'main' }
  expect((await p.developer.post(`/projects/${p.id}/merge_requests`, wanted)).status).toBe(201)
  expect(await subjectsOf(p.maintainer, own)).toEqual([`${p.fullPath.split('/').at(-1)} | Say it (!1)`])
  expect(await subjectsOf(other, own)).toEqual([])
  expect(await todosOf(p.maintainer, '', own)).toEqual([['approval_required', 'Say it']])
  expect(await todosOf(other, '', own)).toEqual([])
})
