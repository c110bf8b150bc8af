import { beforeAll, expect, test } from 'vitest'
import { alertRow, picture, pixel } from '#test/alerts.ts'
import { w } from '#test/world.ts'
import { element, metrics, type Monitored, monitored } from '#monitoring/alert-receiver/test-support.ts'

let m: Monitored
let base: string
beforeAll(async () => {
  m = await monitored()
  base = `/projects/${m.id}/alert_management_alerts`
})

test('a list has the alerts of a project, newest first, without payloads, and filters them', async () => {
  const p = await monitored()
  const list = async (query = '') =>
    (await p.developer.get(`/projects/${p.id}/alert_management_alerts${query}`)).body.map(
      ({ title }: { title: string }) => title,
    )
  await p.send({
    title: 'One',
    severity: 'low',
    start_time: '2026-01-03T00:00:00Z',
    monitoring_tool: 'Nagios',
  })
  await p.send({ title: 'Two', severity: 'high', start_time: '2026-01-02T00:00:00Z', service: '50% shop' })
  await p.send({ title: 'Three', start_time: '2026-01-01T00:00:00Z' })
  await p.developer.put(`/projects/${p.id}/alert_management_alerts/2`, {
    status: 'acknowledged',
    assignee_ids: [p.developer.id],
  })
  expect(await list()).toEqual(['Three', 'Two', 'One'])
  expect(await list('?sort=asc')).toEqual(['One', 'Two', 'Three'])
  expect(await list('?order_by=started_at&sort=asc')).toEqual(['Three', 'Two', 'One'])
  expect(await list('?status=acknowledged')).toEqual(['Two'])
  expect(await list('?status[]=triggered&status[]=resolved')).toEqual(['Three', 'One'])
  expect(await list('?severity=low,high')).toEqual(['Two', 'One'])
  expect(await list('?monitoring_tool=Nagios')).toEqual(['One'])
  expect(await list(`?assignee_username=${p.developer.username.toUpperCase()}`)).toEqual(['Two'])
  expect(await list('?search=50%25')).toEqual(['Two'])
  expect(await list('?search=%25x')).toEqual([])
  expect(await list('?per_page=1&page=2')).toEqual(['Two'])
  const { body } = await p.developer.get(`/projects/${p.id}/alert_management_alerts`)
  expect(body[0]).not.toHaveProperty('payload')
  const keyset = await p.developer.get(
    `/projects/${p.id}/alert_management_alerts?pagination=keyset&per_page=2`,
  )
  expect(keyset.body.length).toBe(2)
  expect(keyset.headers.get('link')).toContain('cursor=')
})

test('people acknowledge, resolve, open again, ignore and assign an alert', async () => {
  await m.send({ title: 'Worked on' })
  const [{ iid }] = (await m.alerts()).slice(-1)
  const put = (json: object) => m.developer.put(`${base}/${iid}`, json)
  expect((await put({ status: 'acknowledged' })).body).toMatchObject({
    status: 'acknowledged',
    ended_at: null,
  })
  const resolved = (await put({ status: 'resolved' })).body
  expect(resolved.status).toBe('resolved')
  expect(resolved.ended_at).not.toBeNull()
  expect((await put({ status: 'triggered' })).body).toMatchObject({ status: 'triggered', ended_at: null })
  expect((await put({ status: 'ignored' })).body.status).toBe('ignored')
  const ids = [m.developer.id, m.maintainer.id]
  expect((await put({ assignee_ids: ids })).body.assignees.map(({ id }: { id: number }) => id)).toEqual(ids)
  // Only who may read the project.
  expect((await put({ assignee_ids: [m.stranger.id, m.developer.id] })).body.assignees.length).toBe(1)
  expect((await put({ assignee_ids: [0] })).body.assignees).toEqual([])
  const notes = (await m.developer.get(`${base}/${iid}/notes?sort=asc`)).body
  expect(notes.map(({ body, system }: { body: string; system: boolean }) => [system, body])).toEqual([
    [true, 'changed the status to acknowledged'],
    [true, 'changed the status to resolved'],
    [true, 'changed the status to triggered'],
    [true, 'changed the status to ignored'],
    [true, `assigned to @${m.developer.username}, @${m.maintainer.username}`],
    [true, `unassigned @${m.maintainer.username}`],
    [true, `unassigned @${m.developer.username}`],
  ])
  expect((await put({})).status).toBe(400)
  expect((await put({ status: 'gone' })).status).toBe(400)
})

test('an alert that was reported again cannot be opened beside the new one', async () => {
  const payload = { title: 'Twice', fingerprint: 'twice' }
  const { body } = await m.send(payload)
  await m.developer.put(`${base}/${body[0].iid}`, { status: 'resolved' })
  const again = await m.send(payload)
  expect(await m.developer.put(`${base}/${body[0].iid}`, { status: 'triggered' })).toMatchObject({
    status: 409,
    body: { message: `409 Conflict - alert ${again.body[0].iid} is open and was reported in the same way` },
  })
})

test('people write notes, react, and put an alert on their lists; assignees get it there', async () => {
  const path = await alertRow(m)
  expect((await m.developer.post(`${path}/notes`, { body: 'Looking' })).body).toMatchObject({
    noteable_type: 'AlertManagement::Alert',
    body: 'Looking',
  })
  expect((await m.developer.get(path)).body.user_notes_count).toBe(1)
  expect((await m.developer.post(`${path}/award_emoji`, { name: 'eyes' })).status).toBe(201)
  expect((await m.developer.post(`${path}/discussions`, { body: 'A thread' })).status).toBe(201)
  const marked = await m.owner.post(`${path}/todo`)
  expect(marked).toMatchObject({
    status: 201,
    body: {
      target_type: 'AlertManagement::Alert',
      action_name: 'marked',
      body: 'A row',
      target: { title: 'A row' },
    },
  })
  expect((await m.owner.post(`${path}/todo`)).status).toBe(304)
  await m.developer.put(path, { assignee_ids: [m.maintainer.id] })
  const todos = async () =>
    (await m.maintainer.get('/todos?type=AlertManagement::Alert')).body.filter(
      ({ target }: { target: { title: string } }) => target.title === 'A row',
    )
  await expect.poll(todos).toMatchObject([{ action_name: 'assigned' }])
  await m.maintainer.put(path, { status: 'resolved' })
  await expect.poll(todos).toEqual([])
})

test('nobody below Developer learns of alerts, also in a public project, on lists, in feeds or as to-dos', async () => {
  const p = await w.project({ visibility: 'public' })
  const path = await alertRow(p)
  await p.developer.post(`${path}/notes`, { body: 'Secret words' })
  for (const who of [p.reporter, p.stranger]) {
    expect((await who.get(path)).status).toBe(403)
    expect((await who.get(`${path}/notes`)).status).toBe(403)
    expect((await who.post(`${path}/todo`)).status).toBe(403)
    expect((await who.get(`/projects/${p.id}/events`)).text).not.toContain('Secret words')
  }
  expect((await p.anonymous.get(path)).status).toBe(401)
  expect((await p.developer.get(`/projects/${p.id}/alert_management_alerts/999`)).status).toBe(404)
  // Somebody who leaves keeps no view of it by their list.
  await p.developer.post(`${path}/todo`)
  await p.owner.delete(`/projects/${p.id}/members/${p.developer.id}`)
  expect((await p.developer.get('/todos')).body).toEqual([])
})

test('pictures of metrics are kept, shown, linked and removed', async () => {
  const path = `${await alertRow(m)}/metric_images`
  const { status, body } = await m.developer.send('POST', path, {
    form: picture({ url: 'https://grafana.example.com/d/1', url_text: 'Load' }),
  })
  expect([status, body]).toEqual([
    201,
    {
      id: body.id,
      created_at: expect.stringMatching(/Z$/),
      filename: 'load.png',
      file_path: expect.stringContaining('/metric_images/'),
      url: 'https://grafana.example.com/d/1',
      url_text: 'Load',
    },
  ])
  expect((await m.developer.get(path)).body).toEqual([body])
  const file = await m.developer.get(`${w.url}${body.file_path}`)
  expect([file.status, file.headers.get('content-type'), file.headers.get('content-length')]).toEqual([
    200,
    'image/png',
    String(pixel.length),
  ])
  expect((await m.anonymous.get(`${w.url}${body.file_path}`)).status).toBe(401)
  expect((await m.developer.put(`${path}/${body.id}`, { url: null, url_text: 'New' })).body).toMatchObject({
    url: null,
    url_text: 'New',
  })
  expect((await m.developer.delete(`${path}/${body.id}`)).status).toBe(204)
  expect((await m.developer.get(path)).body).toEqual([])
  expect((await m.developer.get(`${w.url}${body.file_path}`)).status).toBe(404)
})

test.each<[string, () => FormData, object]>([
  ['text', () => picture({}, Buffer.from('<svg onload="x">')), { file: ['is not a picture'] }],
  [
    'a script as its link',
    () => picture({ url: 'javascript:alert(1)' }),
    { url: ['is not an http or https URL'] },
  ],
])('a picture with %s is refused', async (_, form, message) => {
  const path = `${await alertRow(m)}/metric_images`
  expect(await m.developer.send('POST', path, { form: form() })).toMatchObject({
    status: 400,
    body: { message },
  })
})

test('the link of a picture cannot become a script', async () => {
  const path = `${await alertRow(m)}/metric_images`
  const { body } = await m.developer.send('POST', path, { form: picture({ url: 'https://example.com' }) })
  expect(await m.developer.put(`${path}/${body.id}`, { url: 'javascript:alert(1)' })).toMatchObject({
    status: 400,
    body: { message: { url: ['is not an http or https URL'] } },
  })
  expect((await m.developer.get(path)).body).toEqual([body])
})

test('a picture of more than 1 MB is refused', async () => {
  const form = picture({}, Buffer.concat([pixel, Buffer.alloc(1024 * 1024)]))
  const { status } = await m.developer.send('POST', `${await alertRow(m)}/metric_images`, { form })
  expect([400, 413]).toContain(status)
})

test('each alert becomes an incident with all that is known, and the end of the alert closes it', async () => {
  const p = await monitored()
  await p.maintainer.post(
    `/projects/${p.id}/repository/files/${encodeURIComponent('.gitlab/issue_templates/incident.md')}`,
    {
      branch: 'main',
      content: '## Checklist\n\n- [ ] Tell the customers',
      commit_message: 'Add a template',
    },
  )
  await p.maintainer.put(`/projects/${p.id}/alert_management/settings`, {
    create_incident: true,
    incident_template: 'incident',
  })
  const firing = element({
    labels: { alertname: 'HighLoad', severity: 's2', team: '<b>ops</b>' },
    annotations: {
      description: 'Load is *high*',
      service_incident_markdown: '![graph](https://example.com/g.png)',
      runbook: 'https://runbooks.example.com/load',
    },
  })
  await p.send(metrics(firing))
  await p.send(metrics(firing))
  const incidents = async () => (await p.developer.get(`/projects/${p.id}/issues?issue_type=incident`)).body
  await expect.poll(incidents).toMatchObject([{ state: 'opened', title: 'HighLoad', severity: 'HIGH' }])
  const [incident] = await incidents()
  expect(incident.author.username).toMatch(/^alert-bot/)
  for (const part of [
    '**Severity:** high',
    '**Start time:** 2026-01-31T09:00:00.000Z',
    String.raw`Load is \*high\*`,
    String.raw`- team: \<b\>ops\</b\>`,
    '**Runbook:** <https://runbooks.example.com/load>',
    '![graph](https://example.com/g.png)',
    '- [ ] Tell the customers',
  ])
    expect(incident.description).toContain(part)
  expect((await p.alert(1)).issue_iid).toBe(incident.iid)
  await p.send(metrics({ ...firing, status: 'resolved', endsAt: '2026-01-31T10:00:00Z' }))
  await expect.poll(async () => (await incidents())[0].state).toBe('closed')
  expect((await incidents()).length).toBe(1)
})

test('an incident tells the people and the issues of its project that its text mentions', async () => {
  const [p, elsewhere] = [await monitored(), await monitored()]
  await p.maintainer.put(`/projects/${p.id}/alert_management/settings`, { create_incident: true })
  const [{ body: known }, { body: foreign }] = [
    await p.developer.post(`/projects/${p.id}/issues`, { title: 'Known trouble' }),
    await elsewhere.developer.post(`/projects/${elsewhere.id}/issues`, { title: 'Not to be told' }),
  ]
  const text = `See #${known.iid} and ${elsewhere.fullPath}#${foreign.iid}, @${p.planner.username} @${p.stranger.username}`
  await p.send(metrics(element({ annotations: { service_incident_markdown: text } })))
  const notes = async (of: typeof p, iid: number) =>
    (await of.developer.get(`/projects/${of.id}/issues/${iid}/notes`)).body.map(
      ({ body }: { body: string }) => body,
    )
  await expect.poll(() => notes(p, known.iid)).toEqual(['mentioned in issue #2'])
  expect(await notes(elsewhere, foreign.iid)).toEqual([])
  const todos = async (of: typeof p.planner) =>
    (await of.get('/todos')).body.map(({ action_name }: { action_name: string }) => action_name)
  await expect.poll(() => todos(p.planner)).toEqual(['mentioned'])
  expect(await todos(p.stranger)).toEqual([])
})

test('an incident in a public project calls nobody who has no role there, and no groups but those above it', async () => {
  const group = await w.group({ visibility: 'public' })
  const secret = await w.group()
  const p = await monitored({}, await w.project({ visibility: 'public', parent: group.id }))
  await p.maintainer.put(`/projects/${p.id}/alert_management/settings`, { create_incident: true })
  const named = [p.stranger.username, p.planner.username, secret.fullPath, group.fullPath]
  await p.send({ title: `Down: ${named.map((name) => `@${name}`).join(' ')}` })
  const todos = async (of: typeof p.planner) => (await of.get('/todos')).body.length
  for (const one of [p.planner, group.developer]) await expect.poll(() => todos(one)).toBe(1)
  expect([await todos(p.stranger), await todos(secret.developer)]).toEqual([0, 0])
})

test('developers make an incident of an alert, once, where they may create issues', async () => {
  const p = await monitored()
  await p.send({ title: 'Disk full', severity: 'high' })
  const path = `/projects/${p.id}/alert_management_alerts/1`
  expect(await p.developer.post(`${path}/incident`)).toMatchObject({ status: 202, body: { iid: 1 } })
  await expect.poll(async () => (await p.alert(1)).issue_iid).toBe(1)
  expect((await p.developer.get(`/projects/${p.id}/issues/1`)).body).toMatchObject({
    title: 'Disk full',
    issue_type: 'incident',
    severity: 'HIGH',
  })
  const again = await p.developer.post(`${path}/incident`)
  expect([again.status, again.body.message]).toEqual([409, '409 Conflict - the alert has the incident #1'])
  expect((await p.reporter.post(`${path}/incident`)).status).toBe(403)
  expect((await p.developer.post(`/projects/${p.id}/alert_management_alerts/9/incident`)).status).toBe(404)
  await p.send({ title: 'Other trouble' })
  await p.owner.put(`/projects/${p.id}`, { issues_access_level: 'disabled' })
  const other = `/projects/${p.id}/alert_management_alerts/2/incident`
  expect((await p.developer.post(other)).status).toBe(403)
})

test('without the settings, no incident is opened, or none is closed', async () => {
  const p = await monitored()
  const settings = `/projects/${p.id}/alert_management/settings`
  const over = { fingerprint: 'x', end_time: '2026-01-31T10:00:00Z' }
  const incidents = async () => (await p.developer.get(`/projects/${p.id}/issues?issue_type=incident`)).body
  await p.send({ title: 'Quiet' })
  await p.maintainer.put(settings, { create_incident: true, auto_close_incident: false })
  await p.send({ title: 'Loud', fingerprint: 'x' })
  await expect.poll(incidents).toMatchObject([{ title: 'Loud', state: 'opened' }])
  await p.send(over)
  await p.send({ title: 'Last', severity: 'info' })
  // The job of the later alert runs after that of the earlier one would have.
  await expect.poll(async () => (await incidents()).length).toBe(2)
  expect(
    (await incidents()).map(({ title, state, severity }: Record<string, string>) => [title, state, severity]),
  ).toEqual([
    ['Last', 'opened', 'UNKNOWN'],
    ['Loud', 'opened', 'CRITICAL'],
  ])
})

test('alerts are taken while the jobs that open their incidents wait', async () => {
  const p = await monitored()
  await p.maintainer.put(`/projects/${p.id}/alert_management/settings`, { create_incident: true })
  const holder = await w.running.services.pool.connect()
  try {
    // An incident needs the next number of an issue.
    await holder.query('begin')
    await holder.query(`insert into internal_ids (namespace_id, kind, last_iid) values ($1, 'issue', 0)`, [
      p.namespaceId,
    ])
    for (const title of ['One', 'Two', 'Three'])
      expect(await p.send({ title })).toMatchObject({ status: 200, body: [{ title }] })
    expect((await p.alerts()).map(({ issue_iid }) => issue_iid)).toEqual([null, null, null])
    await holder.query('commit')
  } finally {
    holder.release(true)
  }
  await expect
    .poll(async () => new Set((await p.alerts()).map(({ issue_iid }) => issue_iid)))
    .toEqual(new Set([1, 2, 3]))
})
