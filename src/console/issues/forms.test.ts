import { beforeAll, expect, test } from 'vitest'
import { csrfTokenIn, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Forms of issues, and what all forms have in common.

let p: Awaited<ReturnType<typeof w.project>>
let page = ''
let at = ''
let planner: Awaited<ReturnType<typeof signedIn>>
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  page = `/${p.fullPath}/-/issues`
  at = `/projects/${p.id}/issues`
  planner = await signedIn(w)
  await w.member(p.namespaceId, planner, 15)
  reader = await signedIn(w)
})

async function issue(title = 'Broken', author = p.owner): Promise<{ iid: number; page: string }> {
  const { body } = await author.post(at, { title, description: 'Before' })
  return { iid: body.iid, page: `${page}/${body.iid}` }
}

const shown = (who: Pick<typeof planner, 'visitor'>, path: string) => who.visitor.get(path, HERE)

test('a planner opens an issue with all that belongs to it', async () => {
  await p.owner.post(`/projects/${p.id}/labels`, { name: 'bug', color: '#f00' })
  const text = (await shown(planner, `${page}/new?issue[title]=From%20a%20bot`)).text
  expect(text).toContain('value="From a bot"')
  const answer = await submit(planner.visitor, `${page}/new`, 'open', {
    title: 'It <i>breaks</i>',
    description: 'First line',
    'labels[]': 'bug',
    'assignee_ids[]': String(planner.id),
    due_date: '2031-01-02',
    weight: '3',
    confidential: 'true',
  })
  expect(answer.status).toBe(303)
  const made = (await planner.user.get(`${at}/${answer.headers.location?.split('/').at(-1)}`)).body
  expect(made).toMatchObject({
    title: 'It <i>breaks</i>',
    description: 'First line',
    labels: ['bug'],
    due_date: '2031-01-02',
    weight: 3,
    confidential: true,
    assignee: { id: planner.id },
  })
  expect((await shown(planner, answer.headers.location ?? '')).text).toContain('The issue is open.')
})

test('what is offered follows from rights', async () => {
  const one = await issue('Offered', reader.user)
  const offered = async (who: typeof planner, path: string) => formsIn((await shown(who, path)).text)
  expect(await offered(planner, one.page)).toEqual(expect.arrayContaining(['close', 'comment']))
  expect(await offered(reader, one.page)).toEqual(expect.arrayContaining(['close', 'comment']))
  const other = await issue('Not theirs')
  expect(await offered(reader, other.page)).toContain('comment')
  expect(await offered(reader, other.page)).not.toContain('close')
  expect((await shown(reader, `${page}/new`)).text).not.toContain('name="weight"')
  const stranger = (await new Visitor(w.url).get(one.page, HERE)).text
  expect(formsIn(stranger)).toEqual([])
  expect(stranger).toContain('Sign in to say something.')
})

test('an issue is changed, closed, opened again and deleted', async () => {
  const { iid, page: one } = await issue()
  await submit(planner.visitor, `${one}/edit`, 'save', { title: 'Better', description: 'After', weight: '' })
  expect((await p.owner.get(`${at}/${iid}`)).body).toMatchObject({ title: 'Better', description: 'After' })
  await submit(planner.visitor, one, 'close')
  expect((await p.owner.get(`${at}/${iid}`)).body.state).toBe('closed')
  await submit(planner.visitor, one, 'reopen')
  expect((await p.owner.get(`${at}/${iid}`)).body.state).toBe('opened')
  const owner = await signedIn(w)
  await w.member(p.namespaceId, owner, 50)
  const gone = await submit(owner.visitor, `${one}/edit`, 'delete')
  expect(gone.headers.location).toBe(page)
  expect((await p.owner.get(`${at}/${iid}`)).status).toBe(404)
})

test('a form that is sent as it stands changes nothing', async () => {
  const { body } = await p.owner.post(at, { title: 'Odd', issue_type: 'ticket' })
  const edit = `${page}/${body.iid}/edit`
  expect((await shown(planner, edit)).text).toMatch(/<option value="ticket" selected/)
})

test('people comment, reply, change and delete what they said', async () => {
  const { iid, page: one } = await issue()
  const said = await submit(reader.visitor, one, 'comment', { body: 'I see it, too' })
  expect(said.headers.location).toBe(`${one}#write`)
  const threads = async () => (await p.owner.get(`${at}/${iid}/discussions`)).body
  const [{ id, notes }] = await threads()
  await submit(planner.visitor, `${one}?note=${notes[0].id}`, `reply/${id}`, { body: 'Where?' })
  await submit(planner.visitor, `${one}?note=${notes[0].id}`, `react-note/${notes[0].id}/tada`)
  expect((await shown(reader, one)).text).toContain('title="' + planner.username)
  await submit(reader.visitor, `${one}?note=${notes[0].id}`, `edit-note/${notes[0].id}`, {
    body: 'I see two',
  })
  const [thread] = await threads()
  expect(thread.notes.map(({ body }: { body: string }) => body)).toEqual(['I see two', 'Where?'])
  // Others change nothing of it.
  expect((await shown(planner, `${one}?note=${notes[0].id}`)).text).not.toContain(`edit-note/${notes[0].id}`)
  await submit(reader.visitor, `${one}?note=${notes[0].id}`, `delete-note/${notes[0].id}`)
  expect((await threads())[0].notes).toHaveLength(1)
})

test('a refusal comes back at its field, with what was typed', async () => {
  const answer = await submit(planner.visitor, `${page}/new`, 'open', {
    title: '  ',
    description: 'Kept & <safe>',
    due_date: 'tomorrow',
  })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('Kept &amp; &lt;safe&gt;')
  expect(answer.text).toMatch(/id="open-(?:title|due_date)-problem"/)
  expect(answer.text).toContain('aria-invalid="true"')
})

const shownIn = (form: string) =>
  (/name="shown_values" value="([^"]*)"/.exec(form)?.[1] ?? '').replaceAll('&amp;', '&')

test('two people change one description: the second is told, and both texts stay', async () => {
  const { iid, page: one } = await issue()
  const form = (await shown(planner, `${one}/edit`)).text
  await p.owner.put(`${at}/${iid}`, { description: 'Theirs' })
  const fields = {
    authenticity_token: csrfTokenIn(form),
    shown_values: shownIn(form),
    do: 'save',
    title: 'Broken',
    description: 'Mine',
  }
  const late = await planner.visitor.post(`${one}/edit`, fields, HERE)
  expect(late.status).toBe(409)
  expect(late.text).toContain('Somebody else changed this meanwhile')
  expect(late.text).toContain('Mine</textarea')
  expect((await p.owner.get(`${at}/${iid}`)).body.description).toBe('Theirs')
  // Whoever has seen that may go on.
  const again = { ...fields, shown_values: shownIn(late.text) }
  expect((await planner.visitor.post(`${one}/edit`, again, HERE)).status).toBe(303)
  expect((await p.owner.get(`${at}/${iid}`)).body.description).toBe('Mine')
})

test('a form that the page has no longer says why, and keeps what was typed', async () => {
  const { iid, page: one } = await issue()
  const { text } = await shown(planner, one)
  await p.owner.put(`${at}/${iid}`, { discussion_locked: true })
  await w.running.services.db.deleteFrom('members').where('user_id', '=', planner.id).execute()
  try {
    const fields = { authenticity_token: csrfTokenIn(text), do: 'comment', body: 'Nearly lost' }
    const answer = await planner.visitor.post(one, fields, HERE)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('Nearly lost')
  } finally {
    await w.member(p.namespaceId, planner, 15)
  }
})

test('typed text survives the end of a session, and another site cannot prepare one', async () => {
  const { iid, page: one } = await issue()
  const away = await signedIn(w)
  const { text } = await shown(away, one)
  const typed = { do: 'comment', body: 'A long text\nof two lines', shown_values: 'body=changed&'.repeat(5) }
  const fields = { authenticity_token: csrfTokenIn(text), ...typed }
  away.visitor.cookies.clear()
  const own = { ...HERE, 'sec-fetch-site': 'same-origin' }
  const lost = await away.visitor.post(one, fields, own)
  expect(lost.status).toBe(401)
  expect(lost.text).toContain('A long text\nof two lines')
  expect(lost.text).toContain('<input type="hidden" name="shown_values"')
  await w.running.services.limits.forget()
  await away.visitor.signIn(away.username, away.password)
  // The token is that of the session that has ended.
  const offered = await away.visitor.post(one, fields, own)
  expect(offered.status).toBe(401)
  expect(offered.text).toContain(`Send it as ${away.username}`)
  const fresh = { ...fields, authenticity_token: csrfTokenIn(offered.text) }
  expect((await away.visitor.post(one, fresh, own)).status).toBe(303)
  const { body } = await p.owner.get(`${at}/${iid}/notes`)
  expect(body).toHaveLength(1)
  for (const site of [{ 'sec-fetch-site': 'cross-site' }, {}]) {
    const foreign = await away.visitor.post(one, fields, { ...HERE, ...site })
    expect(foreign.status).toBe(403)
    expect(foreign.text).not.toContain('A long text')
  }
})

test('somebody follows an issue, remembers it, and mutes it', async () => {
  const { iid, page: one } = await issue()
  await submit(reader.visitor, one, 'subscribe')
  expect((await reader.user.get(`${at}/${iid}`)).body.subscribed).toBe(true)
  await submit(reader.visitor, one, 'remember')
  expect((await reader.user.get('/todos')).body).toMatchObject([{ target: { iid } }])
  await submit(reader.visitor, one, 'unsubscribe')
  expect((await reader.user.get(`${at}/${iid}`)).body.subscribed).toBe(false)
})

test('lines end as everywhere else, and quick actions among them are heard', async () => {
  const { iid, page: one } = await issue()
  await submit(planner.visitor, one, 'comment', { body: 'First line\r\nSecond line\r\n/label ~bug\r\n' })
  const [said] = (await p.owner.get(`${at}/${iid}/notes?sort=asc`)).body
  expect(said.body).toBe('First line\nSecond line')
  expect((await p.owner.get(`${at}/${iid}`)).body.labels).toEqual(['bug'])
})

test('a form that is not on the page does nothing', async () => {
  const { page: one } = await issue()
  for (const does of ['', 'nothing', 'constructor', '__proto__']) {
    const { text } = await shown(planner, one)
    const answer = await planner.visitor.post(one, { authenticity_token: csrfTokenIn(text), do: does }, HERE)
    expect([does, answer.status]).toEqual([does, 400])
  }
})
