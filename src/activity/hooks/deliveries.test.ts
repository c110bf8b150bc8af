import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { type Place, w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()

async function hooked(json: object) {
  const project = await w.project()
  const base = `/projects/${project.id}`
  const { body, status, text } = await project.maintainer.post(`${base}/hooks`, {
    push_events: false,
    ...json,
  })
  if (status !== 201) throw new Error(text)
  return { project, base, hook: `${base}/hooks/${body.id}`, hookId: Number(body.id) }
}

const issue = (project: Place, title: string) =>
  project.developer.post(`/projects/${project.id}/issues`, { title })

const attempts = async (project: Place, hook: string, query = '') => {
  const { body } = await project.maintainer.get(`${hook}/events${query}`)
  return body as readonly { readonly id: number; readonly response_status: string }[]
}

describe('a delivery', () => {
  test('carries token, custom headers, variables and a signature, which the log hides', async () => {
    const server = await receiver()
    const key = Buffer.alloc(32, 9)
    const { project, hook } = await hooked({
      url: server.url.replace('//', '//me:word@').replace('/hook', '/{path}?a=1'),
      issues_events: true,
      token: 'the token',
      signing_token: `whsec_${key.toString('base64')}`,
      url_variables: [{ key: 'path', value: 'masked' }],
      custom_headers: [
        { key: 'X-Own', value: 'own value' },
        { key: 'X-Gitlab-Event', value: 'forged' },
      ],
    })
    await issue(project, 'One')
    const [one] = await server.has(1)
    const id = String(one?.headers['idempotency-key'])
    const timestamp = String(one?.headers['webhook-timestamp'])
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${one?.text}`).digest('base64')
    expect(one).toMatchObject({
      path: '/masked?a=1',
      headers: {
        authorization: `Basic ${Buffer.from('me:word').toString('base64')}`,
        'x-gitlab-token': 'the token',
        'x-own': 'own value',
        'x-gitlab-event': 'Issue Hook',
        'webhook-id': id,
        'webhook-signature': `v1,${signature}`,
      },
    })
    await settled()
    const [logged] = await attempts(project, hook)
    expect(logged).toEqual({
      id: expect.any(Number),
      url: server.url.replace('//', '//me:word@').replace('/hook', '/{path}?a=1'),
      trigger: 'issue_hooks',
      request_headers: expect.objectContaining({
        'X-Gitlab-Token': '[REDACTED]',
        'X-Own': '[REDACTED]',
        Authorization: '[REDACTED]',
        'Idempotency-Key': id,
      }),
      request_data: one?.body,
      response_headers: expect.objectContaining({ Connection: 'close' }),
      response_body: 'taken',
      execution_duration: expect.any(Number),
      response_status: '200',
    })
    expect(JSON.stringify(logged)).not.toMatch(/the token|own value|masked/)
  })

  test('has the body that a template makes of the payload', async () => {
    const server = await receiver()
    const template =
      '{"title":"{{object_attributes.title}}","number":{{object_attributes.iid}},"none":"{{a.b}}"}'
    const { project } = await hooked({
      url: server.url,
      issues_events: true,
      custom_webhook_template: template,
    })
    await issue(project, 'With "quotes"\\')
    const [one] = await server.has(1)
    expect(one?.body).toEqual({ title: 'With "quotes"\\', number: 1, none: '' })
  })

  test('comes after the one before has ended, in the order of the changes', async () => {
    let running = 0
    let most = 0
    const server = await receiver((_, response) => {
      most = Math.max(most, (running += 1))
      setTimeout(() => {
        running -= 1
        response.writeHead(204).end()
      }, 50)
    })
    const { project } = await hooked({ url: server.url, issues_events: true })
    for (const title of ['a', 'b', 'c']) await issue(project, title)
    await Promise.all(['d', 'e', 'f'].map((title) => issue(project, title)))
    await project.developer.put(`/projects/${project.id}/issues/1`, { title: 'last' })
    const told = await server.has(7)
    expect(most).toBe(1)
    expect(told.slice(0, 3).map(({ body }) => body.object_attributes.title)).toEqual(['a', 'b', 'c'])
    expect(told[6]?.body.object_attributes.title).toBe('last')
    expect(new Set(told.map(({ headers }) => headers['idempotency-key'])).size).toBe(7)
  })

  test('is not sent to addresses of the local network, nor to where a receiver redirects', async () => {
    const inside = await receiver()
    const server = await receiver((_, response) => response.writeHead(307, { location: inside.url }).end())
    const { project, hook, hookId } = await hooked({ url: server.url, issues_events: true, token: 'secret' })
    await issue(project, 'One')
    await server.has(1)
    await settled()
    await expect.poll(() => attempts(project, hook)).toMatchObject([{ response_status: '307' }])
    await w.root.put('/application/settings', { outbound_local_requests_whitelist: [] })
    await w.db
      .updateTable('hooks')
      .set({ failures: 0, paused_until: null })
      .where('id', '=', hookId)
      .execute()
    await issue(project, 'Two')
    await expect
      .poll(() => attempts(project, hook))
      .toMatchObject([
        {
          response_status: 'internal error',
          response_body:
            'Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
        },
        { response_status: '307' },
      ])
    await w.root.put('/application/settings', { outbound_local_requests_whitelist: ['127.0.0.1'] })
    expect(inside.received).toEqual([])
  })
})

describe('a receiver', () => {
  test('that is down gets the same delivery later, with the same key, before the next one', async () => {
    let requests = 0
    const server = await receiver((_, response) =>
      response.writeHead((requests += 1) === 1 ? 503 : 200).end(),
    )
    const { project, hook } = await hooked({ url: server.url, issues_events: true })
    await issue(project, 'One')
    await issue(project, 'Two')
    const [first, again, next] = await server.has(3)
    expect(again?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(again?.text).toBe(first?.text)
    expect(next?.body.object_attributes.title).toBe('Two')
    await expect
      .poll(async () => (await attempts(project, hook)).map((one) => one.response_status))
      .toEqual(['200', '200', '503'])
    expect(await attempts(project, hook, '?status=server_failure')).toHaveLength(1)
    expect(await attempts(project, hook, '?status=503')).toHaveLength(1)
    expect(await attempts(project, hook, '?status=successful&per_page=1&page=2')).toHaveLength(1)
    expect(await attempts(project, hook, '?status=client_failure')).toEqual([])
  })

  test('that is slow delays nobody else, nor the request', async () => {
    const slow = await receiver(() => {})
    const quick = await receiver()
    const { project, base } = await hooked({ url: slow.url, issues_events: true })
    await project.maintainer.post(`${base}/hooks`, { url: quick.url, issues_events: true })
    await issue(project, 'One')
    await issue(project, 'Two')
    await quick.has(2)
    await slow.has(1)
    expect(slow.received).toHaveLength(1)
  })

  test('that refuses a delivery is not asked again', async () => {
    const server = await receiver((_, response) => response.writeHead(400).end('no'))
    const { project, hookId } = await hooked({ url: server.url, issues_events: true })
    await issue(project, 'One')
    await server.has(1)
    await expect
      .poll(() => w.db.selectFrom('hook_deliveries').select('id').where('hook_id', '=', hookId).execute())
      .toEqual([])
  })

  test('that fails four times in a row rests, and after forty the webhook is disabled until a test succeeds', async () => {
    let status = 500
    const server = await receiver((_, response) => response.writeHead(status).end())
    const { project, hook, hookId } = await hooked({ url: server.url, issues_events: true })
    const failed = async (failures: number) => {
      await w.db
        .updateTable('hooks')
        .set({ failures: failures - 1, paused_until: null })
        .where('id', '=', hookId)
        .execute()
      const before = server.received.length
      await issue(project, `After ${failures}`)
      await server.has(before + 1)
      const { body } = await project.maintainer.get(hook)
      return body
    }
    await failed(4)
    await expect
      .poll(async () => (await project.maintainer.get(hook)).body)
      .toMatchObject({ alert_status: 'temporarily_disabled', disabled_until: expect.stringMatching(/Z$/) })
    await failed(40)
    await expect
      .poll(async () => (await project.maintainer.get(hook)).body)
      .toMatchObject({ alert_status: 'disabled', disabled_until: null })
    const before = server.received.length
    await issue(project, 'Unheard')
    const left = await w.db
      .selectFrom('hook_facts')
      .select('id')
      .where('name', '=', 'issue created')
      .where('namespace_id', '=', project.namespaceId)
      .execute()
    expect(left).toEqual([])
    expect(server.received).toHaveLength(before)
    const refused = await project.maintainer.post(`${hook}/test/issues_events`)
    expect(refused).toMatchObject({
      status: 422,
      body: { message: 'The receiver answered with the status 500' },
    })
    status = 200
    const taken = await project.maintainer.post(`${hook}/test/issues_events`)
    expect(taken).toMatchObject({ status: 201, body: { message: '201 Created' } })
    expect((await project.maintainer.get(hook)).body).toMatchObject({ alert_status: 'executable' })
    await issue(project, 'Heard')
    await expect.poll(() => server.received.at(-1)?.body.object_attributes.title).toBe('Heard')
  })
})

describe('a sample', () => {
  test('is made of the newest thing of its kind', async () => {
    const server = await receiver()
    const { project, hook } = await hooked({ url: server.url })
    const send = (trigger: string) => project.maintainer.post(`${hook}/test/${trigger}`)
    expect(await send('issues_events')).toMatchObject({
      status: 422,
      body: { message: 'Ensure the project has an issue.' },
    })
    expect(await send('pipeline_events')).toMatchObject({
      status: 422,
      body: { message: 'Ensure the project has a CI pipeline.' },
    })
    expect(await send('releases_events')).toMatchObject({ status: 422 })
    expect(await send('nonsense')).toMatchObject({ status: 400 })
    await giveSample(project)
    expect(await send('push_events')).toMatchObject({ status: 201 })
    expect(server.received[0]?.body).toMatchObject({ object_kind: 'push', total_commits_count: 2 })
  })

  test('is sent five times a minute by one user for one webhook', async () => {
    const server = await receiver()
    const { project, hook } = await hooked({ url: server.url })
    const statuses = []
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await project.maintainer.post(`${hook}/test/issues_events`)).status)
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
    expect((await project.owner.post(`${hook}/test/issues_events`)).status).toBe(422)
  })

  test('of a webhook of the instance is shown to whoever asks for it', async () => {
    const server = await receiver()
    const { body } = await w.root.post('/hooks', { url: server.url })
    const sent = await w.root.post(`/hooks/${body.id}`)
    await w.root.delete(`/hooks/${body.id}`)
    expect(sent).toMatchObject({ status: 201, body: { event_name: 'project_create', project_id: 1 } })
    expect(server.received[0]).toMatchObject({
      headers: { 'x-gitlab-event': 'System Hook' },
      body: sent.body,
    })
  })
})

test('what was sent is sent again with the same key, unless the URL has changed', async () => {
  const server = await receiver()
  const { project, hook } = await hooked({ url: server.url, issues_events: true })
  await issue(project, 'One')
  await server.has(1)
  await expect.poll(async () => (await attempts(project, hook)).length).toBe(1)
  const id = (await attempts(project, hook))[0]?.id
  const again = await project.maintainer.post(`${hook}/events/${id}/resend`)
  expect(again).toMatchObject({ status: 201, body: { response_status: 200 } })
  const [first, second] = await server.has(2)
  expect(second?.text).toBe(first?.text)
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  expect(await attempts(project, hook)).toHaveLength(2)
  expect((await project.maintainer.post(`${hook}/events/0/resend`)).status).toBe(404)
  await server.stop()
  expect((await project.maintainer.post(`${hook}/events/${id}/resend`)).body).toEqual({
    response_status: 'internal error',
  })
  await project.maintainer.put(hook, { url: 'http://127.0.0.1:9/' })
  expect((await project.maintainer.post(`${hook}/events/${id}/resend`)).status).toBe(422)
})

test('a webhook that is deleted while its delivery runs is sent nothing more', async () => {
  const gone = Promise.withResolvers<void>()
  const server = await receiver((_, response) => void gone.promise.then(() => response.writeHead(500).end()))
  const { project, hook, hookId } = await hooked({ url: server.url, issues_events: true })
  await issue(project, 'One')
  await issue(project, 'Two')
  await server.has(1)
  expect((await project.maintainer.delete(hook)).status).toBe(204)
  gone.resolve()
  await settled()
  expect(server.received).toHaveLength(1)
  expect(await w.db.selectFrom('hook_attempts').select('id').where('hook_id', '=', hookId).execute()).toEqual(
    [],
  )
})

describe('nobody learns from a webhook what they may not learn', () => {
  test('confidential issues, notes on them, internal notes and reactions take their own events', async () => {
    const open = await receiver()
    const secret = await receiver()
    const notes = { note_events: true, issues_events: true, emoji_events: true }
    const { project, base } = await hooked({ ...notes, url: open.url })
    await project.maintainer.post(`${base}/hooks`, {
      ...notes,
      url: secret.url,
      push_events: false,
      confidential_issues_events: true,
      confidential_note_events: true,
    })
    await project.developer.post(`${base}/issues`, { title: 'Hidden', confidential: true })
    await project.developer.put(`${base}/issues/1`, { title: 'Hidden more' })
    await project.developer.post(`${base}/issues/1/notes`, { body: 'Hidden note' })
    await project.developer.post(`${base}/issues/1/award_emoji`, { name: 'thumbsup' })
    await project.developer.put(`${base}/issues/1`, { title: 'Public', confidential: false })
    await project.developer.post(`${base}/issues/1/notes`, { body: 'Hidden internal', internal: true })
    await project.developer.post(`${base}/issues/1/notes`, { body: 'Open note' })
    await secret.has(7)
    await open.has(1)
    await settled()
    expect(secret.received.map(({ headers }) => headers['x-gitlab-event'])).toEqual([
      'Confidential Issue Hook',
      'Confidential Issue Hook',
      'Confidential Note Hook',
      'Emoji Hook',
      'Confidential Issue Hook',
      'Confidential Note Hook',
      'Note Hook',
    ])
    expect(open.received.map(({ body }) => body.object_attributes.note)).toEqual(['Open note'])
    expect(JSON.stringify(open.received)).not.toMatch(/Hidden/)
  })

  test('an issue that becomes public before the payload is made stays confidential in it', async () => {
    const open = await receiver()
    const { project, base } = await hooked({ url: open.url, issues_events: true })
    await project.developer.post(`${base}/issues`, { title: 'Hidden', confidential: true })
    await w.db
      .updateTable('issues')
      .set({ confidential: false })
      .where('project_id', '=', project.id)
      .execute()
    await settled()
    expect(open.received).toEqual([])
  })

  test('other projects tell it nothing, nor does a group beside it', async () => {
    await w.onPlan('premium', async () => {
      const server = await receiver()
      const { project } = await hooked({ url: server.url, issues_events: true })
      const other = await w.project()
      const group = await w.group()
      await w.root.post(`/groups/${group.id}/hooks`, { url: server.url, issues_events: true })
      await issue(other, 'Elsewhere')
      await issue(project, 'Here')
      await server.has(1)
      await settled()
      expect(server.received.map(({ body }) => body.object_attributes.title)).toEqual(['Here'])
    })
  })
})

test('without a webhook nothing is written but the fact itself', async () => {
  const project = await w.project()
  await settled()
  await issue(project, 'Quiet')
  const kept = await w.db
    .selectFrom('hook_facts')
    .select('id')
    .where('namespace_id', '=', project.namespaceId)
    .execute()
  expect(kept).toEqual([])
})

test('what was sent long ago is forgotten, with the answers', async () => {
  const server = await receiver()
  const { project, hook } = await hooked({ url: server.url, issues_events: true })
  await issue(project, 'Old')
  await server.has(1)
  await expect.poll(async () => (await attempts(project, hook)).length).toBe(1)
  const { forgetPayloads } = await import('./forget-payloads.ts')
  const { jobContext } = await import('#platform/jobs/context.ts')
  const run = (days: number) => {
    const clock = { now: () => new Date(Date.now() + days * 24 * 60 * 60_000) }
    const { services } = w.running
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const job = jobContext({ ...services, clock, log }, { attempt: 1, signal: new AbortController().signal })
    return forgetPayloads.execute({}, job)
  }
  await run(6)
  expect(await attempts(project, hook)).toHaveLength(1)
  await run(8)
  expect(await attempts(project, hook)).toHaveLength(0)
})
