import { expect, test } from 'vitest'
import { archiveOf, endOfImport, exportOf, importOf } from '#test/archives.ts'
import { made, newBoard, newLabel, newMilestone, orderOf } from '#planning/boards/test-support.ts'
import { w } from '#test/world.ts'

test('boards are exported and imported with their lists, and with the labels and milestones of groups', async () => {
  const { id, groupId, owner, guest } = await w.project()
  await w.memberAtLeast(groupId, owner, 50)
  const base = `/projects/${id}`
  const [own, shared] = [
    await newLabel(owner, base, 'own'),
    await newLabel(owner, `/groups/${groupId}`, 'shared'),
  ]
  await newLabel(owner, `/groups/${groupId}`, 'unused')
  const [soon, later] = [
    await newMilestone(owner, base, 'soon'),
    await newMilestone(owner, `/groups/${groupId}`, 'later'),
  ]
  const scope = {
    milestone_id: later.id,
    labels: 'own,shared',
    weight: 2,
    assignee_id: guest.id,
    hide_closed_list: true,
  }
  const { path } = await newBoard(owner, base, { name: 'Work', ...scope })
  for (const list of [
    { milestone_id: soon.id },
    { assignee_id: guest.id },
    { label_id: shared.id },
    { milestone_id: later.id },
    { label_id: own.id },
  ])
    await made(owner, `${path}/lists`, list)
  await newBoard(owner, base, { name: 'Empty' })
  const by = await w.user()
  const answer = await importOf(by, await exportOf(owner, id))
  const { body } = answer
  expect(await endOfImport(by, answer)).toMatchObject({ import_status: 'finished', import_error: null })
  const { body: boards } = await by.get(`/projects/${body.id}/boards`)
  expect(boards).toMatchObject([
    {
      name: 'Work',
      hide_backlog_list: false,
      hide_closed_list: true,
      milestone: { title: 'later', project_id: body.id },
      assignee: null,
      labels: [{ name: 'own' }, { name: 'shared' }],
      weight: 2,
      lists: [
        { milestone: { title: 'soon' } },
        { label: { name: 'shared' } },
        { milestone: { title: 'later' } },
        { label: { name: 'own' } },
      ],
    },
    { name: 'Empty', lists: [], labels: [], milestone: null, weight: null },
  ])
  expect(await orderOf(by, `/projects/${body.id}/boards/${boards[0].id}`)).toHaveLength(4)
  const { body: labels } = await by.get(`/projects/${body.id}/labels`)
  expect(labels.map(({ name }: { name: string }) => name)).toEqual(['own', 'shared'])
})

const board = {
  name: 'Work',
  hide_backlog_list: false,
  hide_closed_list: false,
  milestone: null,
  weight: null,
  labels: [],
  lists: [],
}
const file = (...rows: readonly unknown[]) => ({
  name: 'boards.ndjson',
  body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
})

test('boards of an archive name only what is there, each once', async () => {
  const { owner, id } = await w.group()
  await newLabel(owner, `/groups/${id}`, 'bug')
  const list = (label: string | null, milestone: string | null = null) => ({ label, milestone })
  const lists = [list('none'), list('bug'), list('bug'), list(null), list(null, 'none'), list('bug', 'none')]
  const archive = await archiveOf(
    file({ ...board, milestone: 'none', labels: ['bug', 'bug', 'none'], lists }),
  )
  const answer = await importOf(owner, archive, { namespace_id: String(id) })
  expect(await endOfImport(owner, answer)).toMatchObject({ import_status: 'finished' })
  const { body } = await owner.get(`/projects/${answer.body.id}/boards`)
  expect(body).toMatchObject([
    { labels: [{ name: 'bug' }], milestone: null, lists: [{ label: { name: 'bug' } }] },
  ])
})

test.each([
  ['a name that is too long', { ...board, name: 'x'.repeat(256) }],
  ['a blank name', { ...board, name: '' }],
  ['a weight below 0', { ...board, weight: -1 }],
  [
    'too many lists',
    { ...board, lists: Array.from({ length: 51 }, () => ({ label: 'bug', milestone: null })) },
  ],
  ['too many labels', { ...board, labels: Array.from({ length: 21 }, () => 'bug') }],
  ['lists that are none', { ...board, lists: 'bug' }],
])('an archive with a board that has %s is refused', async (_, row) => {
  const by = await w.user()
  const answer = await importOf(by, await archiveOf(file(row)))
  expect(await endOfImport(by, answer)).toMatchObject({ import_status: 'failed' })
})
