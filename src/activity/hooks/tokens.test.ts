import { expect, test } from 'vitest'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { tellOfExpiry } from '#identity/tokens/tell-expiry.ts'
import { w } from '#test/world.ts'
import { allowReceivers, receiver } from './test-support.ts'

allowReceivers()

test('webhooks learn which tokens of their project or group end in 30 days, 7 days or one', async () => {
  w.clock.hold('2031-01-01T12:00:00.000Z')
  const place = await w.project()
  const server = await receiver()
  const asked = { name: 'robot', scopes: ['api'], access_level: 20, expires_at: '2031-02-20' }
  const wanted = { url: server.url, push_events: false, resource_access_token_events: true }
  await w.onPlan('premium', async () => {
    for (const [path, hook] of [
      [`/projects/${place.id}`, wanted],
      [`/groups/${place.groupId}`, { ...wanted, url: `${server.url}/group` }],
    ] as const) {
      expect(await w.root.post(`${path}/hooks`, hook)).toMatchObject({ status: 201 })
      expect(await w.root.post(`${path}/access_tokens`, asked)).toMatchObject({ status: 201 })
    }
  })
  await w.token(place.owner, ['api'], '2031-02-20')
  w.clock.hold('2031-02-13T00:10:00.000Z')
  await w.onPlan('premium', async () => {
    await w.write((tx) => enqueue(tx, tellOfExpiry, {}))
    // The webhook of the group learns of the project's token, too.
    const told = await server.has(3)
    const token = {
      object_kind: 'access_token',
      object_attributes: {
        user_id: expect.any(Number),
        created_at: '2031-01-01 12:00:00 UTC',
        id: expect.any(Number),
        name: 'robot',
        expires_at: '2031-02-20',
      },
      event_name: 'expiring_access_token',
    }
    const paths = told.map(
      ({ path, body }) => `${path} ${body.project?.id ?? `group ${body.group.group_id}`}`,
    )
    expect(new Set(paths)).toEqual(
      new Set([`/hook ${place.id}`, `/hook/group ${place.id}`, `/hook/group group ${place.groupId}`]),
    )
    for (const { body, headers } of told) {
      expect(headers['x-gitlab-event']).toBe('Resource Access Token Hook')
      expect(body).toMatchObject(token)
    }
    expect(told.find(({ body }) => body.group !== undefined)?.body).toEqual({
      ...token,
      group: {
        group_id: place.groupId,
        group_name: expect.any(String),
        group_path: expect.any(String),
        full_path: expect.any(String),
      },
    })
  })
})
