import { beforeAll, describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import type { Place } from '#test/world.ts'
import { allowReceivers } from './test-support.ts'

allowReceivers()

const url = 'http://127.0.0.1:9/hook'
let place: Place & { readonly groupId: number; readonly namespaceId: number }
let base: string
beforeAll(async () => {
  place = await w.project()
  base = `/projects/${place.id}/hooks`
})

const add = async (json: object = {}) => (await place.maintainer.post(base, { url, ...json })).body

test('a new webhook of a project has the fields of the reference, and tells of pushes alone', async () => {
  const { status, body } = await place.maintainer.post(base, { url, name: 'CI', description: 'Builds' })
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      id: expect.any(Number),
      project_id: place.id,
      url,
      name: 'CI',
      description: 'Builds',
      created_at: expect.stringMatching(/Z$/),
      push_events: true,
      tag_push_events: false,
      merge_requests_events: false,
      repository_update_events: false,
      issues_events: false,
      confidential_issues_events: false,
      note_events: false,
      confidential_note_events: false,
      wiki_page_events: false,
      milestone_events: false,
      emoji_events: false,
      resource_access_token_events: false,
      job_events: false,
      pipeline_events: false,
      deployment_events: false,
      releases_events: false,
      feature_flag_events: false,
      vulnerability_events: false,
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [],
      push_events_branch_filter: null,
      branch_filter_strategy: 'wildcard',
      custom_webhook_template: null,
      custom_headers: [],
      token_present: false,
      signing_token_present: false,
    },
  })
  expect((await place.maintainer.get(`${base}/${body.id}`)).body).toEqual(body)
  expect((await place.maintainer.get(base)).body).toContainEqual(body)
})

test('only what is given changes', async () => {
  const { id } = await add({ name: 'before', issues_events: true })
  const { body } = await place.maintainer.put(`${base}/${id}`, { push_events: false, name: 'after' })
  expect(body).toMatchObject({ name: 'after', push_events: false, issues_events: true, url })
  expect((await place.maintainer.delete(`${base}/${id}`)).status).toBe(204)
  expect(await place.maintainer.get(`${base}/${id}`)).toMatchObject({ status: 404 })
  expect(await place.maintainer.delete(`${base}/${id}`)).toMatchObject({ status: 404 })
})

describe('what is secret', () => {
  test('is never shown, and not stored in the clear', async () => {
    const secrets = {
      token: 'the-token-itself',
      signing_token: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    }
    const { body } = await place.maintainer.post(base, {
      ...secrets,
      url: 'http://127.0.0.1:9/{path}?key={key}',
      url_variables: [
        { key: 'path', value: 'hidden-path' },
        { key: 'key', value: 'hidden-key' },
      ],
      custom_headers: [{ key: 'Authorization', value: 'Bearer hidden-header' }],
    })
    expect(body).toMatchObject({
      url: 'http://127.0.0.1:9/{path}?key={key}',
      url_variables: [{ key: 'key' }, { key: 'path' }],
      custom_headers: [{ key: 'Authorization' }],
      token_present: true,
      signing_token_present: true,
    })
    const listed = JSON.stringify((await place.maintainer.get(base)).body)
    const stored = JSON.stringify([
      await w.db.selectFrom('hooks').selectAll().where('id', '=', body.id).execute(),
      await w.db.selectFrom('hook_values').selectAll().where('hook_id', '=', body.id).execute(),
      await w.db.selectFrom('facts').selectAll().where('namespace_id', '=', place.namespaceId).execute(),
    ])
    for (const word of ['the-token-itself', secrets.signing_token, 'hidden']) {
      expect(JSON.stringify(body) + listed + stored).not.toContain(word)
    }
  })

  test('does not follow to another URL or server', async () => {
    const secret = { token: 't', custom_headers: [{ key: 'X-Key', value: 'v' }] }
    const { id } = await add(secret)
    const moved = await place.maintainer.put(`${base}/${id}`, { url: 'http://127.0.0.1:9/other' })
    expect(moved.body).toMatchObject({ token_present: false, custom_headers: [{ key: 'X-Key' }] })
    const away = await place.maintainer.put(`${base}/${id}`, { url: 'http://127.0.0.1:10/', token: 'new' })
    expect(away.body).toMatchObject({ token_present: true, custom_headers: [] })
  })

  test('does not follow a variable that stands for the server', async () => {
    const { body } = await place.maintainer.post(base, {
      url: 'http://127.0.0.1:{port}/',
      token: 't',
      url_variables: [{ key: 'port', value: '9' }],
    })
    const path = `${base}/${body.id}`
    expect((await place.maintainer.put(`${path}/url_variables/port`, { value: '10' })).status).toBe(204)
    expect((await place.maintainer.get(path)).body).toMatchObject({ token_present: false })
  })
})

test('custom headers and URL variables are set and removed one by one', async () => {
  const { id } = await add({ url: `${url}/{one}`, url_variables: [{ key: 'one', value: '1' }] })
  const path = `${base}/${id}`
  expect((await place.maintainer.put(`${path}/custom_headers/X-One`, { value: 'a' })).status).toBe(204)
  expect((await place.maintainer.put(`${path}/custom_headers/x-one`, { value: 'b' })).status).toBe(204)
  expect((await place.maintainer.put(`${path}/url_variables/two`, { value: '2' })).status).toBe(204)
  expect((await place.maintainer.get(path)).body).toMatchObject({
    custom_headers: [{ key: 'X-One' }],
    url_variables: [{ key: 'one' }, { key: 'two' }],
  })
  expect((await place.maintainer.delete(`${path}/custom_headers/X-One`)).status).toBe(204)
  expect((await place.maintainer.delete(`${path}/custom_headers/X-One`)).status).toBe(404)
  expect((await place.maintainer.delete(`${path}/url_variables/two`)).status).toBe(204)
  expect(await place.maintainer.delete(`${path}/url_variables/one`)).toMatchObject({
    status: 422,
    body: { message: 'Invalid URL template. Missing keys: one' },
  })
})

describe('422', () => {
  test.each([
    [{ url: 'ftp://127.0.0.1/' }, 'Invalid url given'],
    [{ url: 'not a url' }, 'Invalid url given'],
    [
      { url: 'http://10.0.0.1/' },
      'Invalid url given: Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
    [{ url: `${url}/{key}` }, 'Invalid URL template. Missing keys: key'],
    [{ branch_filter_strategy: 'regex', push_events_branch_filter: '(' }, 'Invalid branch filter given'],
    [
      { branch_filter_strategy: 'regex', push_events_branch_filter: '((a?){30}){30}[xyz]' },
      'Invalid branch filter given',
    ],
    [{ custom_webhook_template: '{"a":' }, 'Invalid custom webhook template given'],
    [{ custom_headers: [{ key: 'Host', value: 'a' }] }, 'Invalid custom headers given'],
    [{ custom_headers: [{ key: 'A B', value: 'a' }] }, 'Invalid custom headers given'],
    [{ custom_headers: [{ key: 'A', value: 'a\r\nB: c' }] }, 'Invalid custom headers given'],
    [{ url_variables: [{ key: '1', value: 'a' }] }, 'Invalid url variables given'],
    [{ token: 'a\nb' }, 'Invalid token given'],
    [{ signing_token: 'whsec_AAAA' }, 'Invalid signing token given'],
  ])('for %j', async (json, message) => {
    expect(await place.maintainer.post(base, { url, ...json })).toMatchObject({
      status: 422,
      body: { message },
    })
  })

  test('past 20 custom headers', async () => {
    const { id } = await add({
      custom_headers: Array.from({ length: 20 }, (_, index) => ({ key: `X-${index}`, value: 'v' })),
    })
    expect(await place.maintainer.put(`${base}/${id}/custom_headers/X-20`, { value: 'v' })).toMatchObject({
      status: 422,
    })
    expect((await place.maintainer.put(`${base}/${id}/custom_headers/X-1`, { value: 'w' })).status).toBe(204)
  })

  test('past the maximum number of webhooks, also for requests at once', async () => {
    const { id, maintainer } = await w.project()
    await w.root.put('/application/settings', { max_project_webhooks: 2 })
    try {
      const made = await Promise.all([1, 2, 3].map(() => maintainer.post(`/projects/${id}/hooks`, { url })))
      expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422])
      expect(made.find(({ status }) => status === 422)?.body.message).toBe(
        'Maximum number of project hooks (2) exceeded',
      )
    } finally {
      await w.root.put('/application/settings', { max_project_webhooks: 100 })
    }
  })
})

test.each([
  ['a project', () => base],
  ['a group', () => `/groups/${place.groupId}/hooks`],
  ['the instance', () => '/hooks'],
])('what no delivery could use is refused for webhooks of %s', async (_, pathOf) => {
  await w.onPlan('premium', async () => {
    const path = pathOf()
    const named = { url: `${url}/{key}`, url_variables: [{ key: 'key', value: 'a' }] }
    const { body } = await w.root.post(path, named)
    const hook = `${path}/${body.id}`
    const answers = [
      await w.root.post(path, { url: 'ftp://127.0.0.1/' }),
      await w.root.put(hook, { url: 'ftp://127.0.0.1/' }),
      await w.root.put(`${hook}/custom_headers/Host`, { value: 'a' }),
      await w.root.put(`${hook}/url_variables/1`, { value: 'a' }),
      await w.root.delete(`${hook}/url_variables/key`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422])
    expect((await w.root.delete(hook)).status).toBe(204)
  })
})

test('webhooks of other places are not found', async () => {
  const { id } = await add()
  const other = await w.project()
  expect((await other.maintainer.get(`/projects/${other.id}/hooks/${id}`)).status).toBe(404)
  expect((await w.root.get(`/hooks/${id}`)).status).toBe(404)
})

test('webhooks of groups need a plan and an owner', async () => {
  const path = `/groups/${place.groupId}/hooks`
  const refused = { message: '403 Forbidden - Group webhooks needs premium' }
  expect(await w.root.post(path, { url })).toMatchObject({ status: 403, body: refused })
  await w.onPlan('premium', async () => {
    const { status, body } = await w.root.post(path, { url, subgroup_events: true })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        group_id: place.groupId,
        push_events: true,
        subgroup_events: true,
        member_events: false,
        project_events: false,
      },
    })
    expect((await place.maintainer.get(path)).status).toBe(403)
  })
})

test('webhooks of the instance are for administrators, and tell of repositories', async () => {
  expect((await place.owner.post('/hooks', { url })).status).toBe(403)
  const { status, body } = await w.root.post('/hooks', { url })
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      url,
      push_events: false,
      tag_push_events: false,
      merge_requests_events: false,
      repository_update_events: true,
    },
  })
  expect(body).not.toHaveProperty('issues_events')
  const changed = await w.root.put(`/hooks/${body.id}`, { push_events: true })
  expect(changed.body).toMatchObject({ push_events: true, repository_update_events: true })
  expect((await w.root.delete(`/hooks/${body.id}`)).status).toBe(204)
})

test('changes are audited without what is secret', async () => {
  const { id } = await add({ url: 'http://user:hidden@127.0.0.1:9/' })
  await place.maintainer.put(`${base}/${id}`, { token: 'hidden', push_events: false })
  await place.maintainer.delete(`${base}/${id}`)
  const events = await w.db
    .selectFrom('audit_events')
    .select(['event_name', 'details'])
    .where('entity_id', '=', place.id)
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  expect(JSON.stringify(events)).not.toContain('hidden')
  expect(events.map(({ event_name }) => event_name)).toEqual([
    'create_webhook',
    'webhook_triggers_updated',
    'webhook_token_updated',
    'destroy_webhook',
  ])
})
