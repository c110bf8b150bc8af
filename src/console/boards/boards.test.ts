import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { made, newBoard, newLabel, newMilestone } from '#planning/boards/test-support.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { type Actor, type Place, w } from '#test/world.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A project in a group, and somebody who visits both. */
async function visited() {
  const group = await w.group()
  const project = await w.project({ parent: group.id })
  const { visitor, ...me } = await signedIn(w)
  await w.member(group.id, me, 20)
  await w.memberAtLeast(group.id, project.owner, 50)
  const look = async (path: string) => visitor.get(path, BROWSER)
  return { group, project, me, look, at: `/projects/${project.id}`, page: `/${project.fullPath}/-/boards` }
}

const open = (by: Actor, { id }: Pick<Place, 'id'>, title: string, more: object = {}) =>
  made(by, `/projects/${id}/issues`, { title, ...more })

/** The titles of issues in each column, by its heading. */
function columnsOf(text: string): Record<string, string[]> {
  const sections = text.split('<section class="column"').slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const [, heading = ''] = /<h2[^>]*>(.*?)<\/h2>/s.exec(section) ?? []
      const titles = [...section.matchAll(/\/-\/issues\/\d+"[^>]*>([^<]*)</g)].map(([, title = '']) => title)
      return [
        heading
          .replace(/<[^>]*>/g, '')
          .trim()
          .replace(/\s+/g, ' '),
        titles,
      ]
    }),
  )
}

test('a place without a board says how to make one, and leads to the first one otherwise', async () => {
  const { group, project, look, at, page } = await visited()
  for (const [path, base] of [
    [page, at],
    [`/groups/${group.fullPath}/-/boards`, `/groups/${group.id}`],
  ] as const) {
    const empty = await look(path)
    expect([empty.status, empty.text.includes('There is no board here.')]).toEqual([200, true])
    const by = base === at ? project.owner : group.owner
    const board = await newBoard(by, base, { name: 'Work <b>' })
    await newBoard(by, base, { name: 'Other' })
    const { status, headers } = await look(path)
    expect([status, headers.location]).toEqual([303, `${path}/${board.id}`])
    const { text } = await look(`${path}/${board.id}`)
    expect(text).toContain('<h1>Work &lt;b&gt;</h1>')
    expect(text).toContain('>Other</a>')
    expect(text).toContain('This board has no list yet.')
  }
})

test('issues are in the columns of their labels, people and milestones, or in Open, or in Closed', async () => {
  const { project, me, look, at, page } = await visited()
  const { owner, guest } = project
  const [doing, soon, later] = [
    await newLabel(owner, at, 'Doing'),
    await newMilestone(owner, at, 'Soon'),
    await newMilestone(owner, at, 'Later, perhaps'),
  ]
  const board = await newBoard(owner, at, { name: 'Work' })
  for (const list of [
    { label_id: doing.id },
    { assignee_id: guest.id },
    { milestone_id: soon.id },
    { milestone_id: later.id },
  ])
    await made(owner, `${board.path}/lists`, list)
  await open(owner, project, 'free')
  await open(owner, project, 'other', { labels: 'else', assignee_id: owner.id })
  await open(owner, project, 'labelled', { labels: 'Doing' })
  await open(owner, project, 'given', { assignee_id: guest.id })
  await open(owner, project, 'planned', { milestone_id: soon.id, labels: 'Doing' })
  await open(owner, project, 'postponed', { milestone_id: later.id })
  await open(owner, project, 'done', { labels: 'Doing' })
  await owner.put(`${at}/issues/7`, { state_event: 'close' })
  const { status, text } = await look(`${page}/${board.id}`)
  expect(status).toBe(200)
  expect(columnsOf(text)).toEqual({
    'Open 2': ['free', 'other'],
    'Doing 2': ['labelled', 'planned'],
    [`${guest.username} person 1`]: ['given'],
    'Soon milestone 1': ['planned'],
    'Later, perhaps milestone 1': ['postponed'],
    'Closed 1': ['done'],
  })
  await owner.put(board.path, { hide_backlog_list: true, hide_closed_list: true })
  expect(Object.keys(columnsOf((await look(`${page}/${board.id}`)).text))).toHaveLength(4)
  expect(me.id).toBeGreaterThan(0)
})

test('a board that is about some issues shows only those', async () => {
  const { project, look, at, page } = await visited()
  const { owner, guest } = project
  const [soon, later] = [await newMilestone(owner, at, 'Soon'), await newMilestone(owner, at, 'Later')]
  const doing = await newLabel(owner, at, 'Doing')
  const scope = { milestone_id: soon.id, assignee_id: guest.id, labels: 'team', weight: 3 }
  const board = await newBoard(owner, at, scope)
  for (const list of [{ label_id: doing.id }, { milestone_id: later.id }, { assignee_id: owner.id }])
    await made(owner, `${board.path}/lists`, list)
  const all = { milestone_id: soon.id, assignee_id: guest.id, weight: 3, labels: 'team' }
  await open(owner, project, 'inside', all)
  await open(owner, project, 'doing', { ...all, labels: 'team,Doing' })
  await open(owner, project, 'both', { ...all, assignee_id: undefined, assignee_ids: [guest.id, owner.id] })
  await open(owner, project, 'outside', { labels: 'Doing' })
  for (const less of [{ labels: '' }, { weight: 2 }, { milestone_id: later.id }, { assignee_id: owner.id }])
    await open(owner, project, 'not here', { ...all, ...less })
  const { text } = await look(`${page}/${board.id}`)
  expect(columnsOf(text)).toEqual({
    'Open 1': ['inside'],
    'Doing 1': ['doing'],
    'Later milestone 0': [],
    [`${owner.username} person 1`]: ['both'],
    'Closed 0': [],
  })
  expect(text).toMatch(/<dt>Weight<\/dt>\s*<dd>3<\/dd>/)
})

test('a group board has the issues of all projects below, with their references', async () => {
  const { group, project, look } = await visited()
  const other = await w.project({ parent: group.id })
  await open(project.owner, project, 'here')
  await open(other.owner, other, 'there')
  const board = await newBoard(group.owner, `/groups/${group.id}`)
  const { text } = await look(`/groups/${group.fullPath}/-/boards/${board.id}`)
  expect(columnsOf(text)['Open 2']?.toSorted((one, two) => one.localeCompare(two))).toEqual(['here', 'there'])
  for (const { fullPath } of [project, other]) {
    expect(text).toContain(`${fullPath}#1`)
    expect(text).toContain(`href="/${fullPath}/-/issues/1"`)
  }
})

test('columns with many issues lead to all of them, and boards with many lists go on', async () => {
  const { project, look, at, page } = await visited()
  const { owner } = project
  const board = await newBoard(owner, at, { name: 'Work' })
  for (let n = 1; n <= 21; n += 1) await open(owner, project, `issue ${n}`)
  for (let n = 1; n <= 11; n += 1)
    await made(owner, `${board.path}/lists`, { label_id: (await newLabel(owner, at, `label ${n}`)).id })
  const first = await look(`${page}/${board.id}`)
  expect(Object.keys(columnsOf(first.text))).toHaveLength(11)
  expect(columnsOf(first.text)['Open 21']).toHaveLength(20)
  expect(first.text).toContain(`<a href="${page}/${board.id}/lists/open">All 21 in Open</a>`)
  const { text: rest } = await look(`${page}/${board.id}?page=2`)
  expect(Object.keys(columnsOf(rest))).toEqual(['label 11 0', 'Closed 0'])
  const { text: all } = await look(`${page}/${board.id}/lists/open?page=2`)
  expect(all).toContain('issue ')
  expect(all).toContain(`href="${page}/${board.id}/lists/open"`)
  for (const list of ['none', '999999', '%00'])
    expect([list, (await look(`${page}/${board.id}/lists/${list}`)).status]).toEqual([
      list,
      list === '%00' ? 400 : 404,
    ])
  expect((await look(`${page}/${board.id}?page=3`)).status).toBe(200)
})

test('as many lists as a board can have, with names as long as they can be, are one page each', async () => {
  const { project, look, at, page } = await visited()
  const { owner } = project
  const board = await newBoard(owner, at)
  for (let n = 0; n < 50; n += 1) {
    const { id } = await newLabel(owner, at, `${n} ${'ü"\\&'.repeat(70)}`.slice(0, 255))
    await made(owner, `${board.path}/lists`, { label_id: id })
  }
  await open(owner, project, 'free')
  const { status, text } = await look(`${page}/${board.id}`)
  expect([status, columnsOf(text)['Open 1']]).toEqual([200, ['free']])
})

test('boards are for people who are signed in, and for nobody else than readers', async () => {
  const { project, look, at, page } = await visited()
  const board = await newBoard(project.owner, at)
  const address = `${page}/${board.id}`
  const missing = await look('/nobody/nothing')
  for (const path of [`${page}/${board.id + 10_000}`, '/nobody/nothing/-/boards']) {
    const { status, text } = await look(path)
    expect([path, status, text === missing.text]).toEqual([path, 404, true])
  }
  const { visitor: other } = await signedIn(w)
  expect((await other.get(address, BROWSER)).status).toBe(404)
  expect((await new Visitor(w.url, { headers: BROWSER }).get(address)).status).toBe(404)
  await w.root.put(`/groups/${project.groupId}`, { visibility: 'public' })
  await w.root.put(at, { visibility: 'public' })
  const { status, headers } = await new Visitor(w.url, { headers: BROWSER }).get(address)
  expect([status, headers.location]).toEqual([303, `/users/sign_in?return_to=${encodeURIComponent(address)}`])
})

test('a page of a board sends no more requests than it may', async () => {
  const { project, look, at, page } = await visited()
  const board = await newBoard(project.owner, at)
  const add = async () =>
    made(project.owner, `${board.path}/lists`, { label_id: (await newLabel(project.owner, at)).id })
  await add()
  const visit = async () => expect((await look(`${page}/${board.id}`)).status).toBe(200)
  await visit()
  const few = (await w.statements(visit)).length
  for (let n = 0; n < 20; n += 1) await add()
  const many = (await w.statements(visit)).length
  const each = 8
  expect(many - few).toBeLessThanOrEqual(9 * each)
})

test('a board is shown where the others have too much text to be read at once', async () => {
  const { project, look, page, at } = await visited()
  const { id } = await newBoard(project.planner, at, { name: 'The one' })
  await sql`with label as (
      insert into labels (namespace_id, name, color, description, created_at, updated_at)
      select ${project.namespaceId}, 'label ' || n, '#ff0000', repeat('😀', 2048), now(), now()
      from generate_series(1, 50) n returning id
    ), board as (
      insert into boards (namespace_id, name, created_at, updated_at)
      select ${project.namespaceId}, 'wordy ' || n, now(), now() from generate_series(1, 60) n returning id
    )
    insert into board_lists (board_id, label_id, position, created_at, updated_at)
    select board.id, label.id, label.id, now(), now() from board, label`.execute(w.db)
  const { status, text } = await look(`${page}/${id}`)
  expect([status, text]).toEqual([200, expect.stringContaining('<h1>The one</h1>')])
  expect(text).not.toContain('Other boards')
  await sql`update labels set description = null where namespace_id = ${project.namespaceId}`.execute(w.db)
  expect((await look(`${page}/${id}`)).text).toContain('wordy 1<')
})
