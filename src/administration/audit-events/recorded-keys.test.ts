import { describe, expect, test } from 'vitest'
import { newSshKey } from '#test/ssh-keys.ts'
import { w } from '#test/world.ts'
import { eventsOf as eventsWhile, type AuditRecord, toldBy } from './test-support.ts'

/** Reading audit events needs Premium. */
const onPremium = <T>(work: () => Promise<T>) => w.onPlan('premium', work)
const eventsOf = (work: () => Promise<unknown>): Promise<AuditRecord[]> =>
  onPremium(() => eventsWhile(w, work))

test('what is done to deploy tokens is in the list of the place, and never the secret', async () => {
  const places = [
    ['projects', await w.project()],
    ['groups', await w.group()],
  ] as const
  for (const [kind, { id, owner }] of places) {
    const base = `/${kind}/${id}/deploy_tokens`
    const request = {
      name: 'puller',
      scopes: ['read_repository', 'read_virtual_registry'],
      expires_at: '2099-01-01',
    }
    const { body } = await owner.post(base, { ...request, username: 'robot' })
    await owner.delete(`${base}/${body.id}`)
    const list = () => owner.get(`/${kind}/${id}/audit_events?per_page=2`)
    const { body: events, text } = await onPremium(list)
    const prefix = kind === 'groups' ? 'group_' : ''
    expect(toldBy(events)).toEqual([
      [`${prefix}deploy_token_destroyed`, { remove: 'deploy token' }],
      [
        `${prefix}deploy_token_created`,
        {
          add: 'deploy token',
          custom_message:
            'Created deploy token of robot with the scopes read_repository, read_virtual_registry, until 2099-01-01T00:00:00.000Z',
        },
      ],
    ])
    expect(events[0].details).toMatchObject({ target_type: 'DeployToken', target_details: 'puller' })
    expect(text).not.toContain(body.token)
  }
})

describe('what is done to keys', () => {
  test('of people', async () => {
    const user = await w.user()
    const events = await eventsOf(async () => {
      const { body } = await user.post('/user/keys', { title: 'Laptop', key: newSshKey() })
      await w.root.delete(`/users/${user.id}/keys/${body.id}`)
    })
    const there = { entity_type: 'User', entity_id: user.id }
    const details = {
      target_type: 'Key',
      target_details: 'Laptop',
      custom_message: expect.stringContaining('SHA256:'),
    }
    expect(events).toMatchObject([
      { ...there, event_name: 'add_ssh_key', author_id: user.id, details: { ...details, add: 'SSH key' } },
      { ...there, event_name: 'remove_ssh_key', author_id: 1, details: { ...details, remove: 'SSH key' } },
    ])
  })

  test('of machines, in the list of the project or of the instance', async () => {
    const { id, owner } = await w.project()
    const base = `/projects/${id}/deploy_keys`
    const events = await eventsOf(async () => {
      await w.root.post('/deploy_keys', { title: 'All', key: newSshKey() })
      const { body } = await owner.post(base, { title: 'Own', key: newSshKey() })
      await owner.post(`${base}/${body.id}/enable`)
      await owner.put(`${base}/${body.id}`, { title: 'New', can_push: true })
      await owner.delete(`${base}/${body.id}`)
    })
    expect(toldBy(events)).toEqual([
      [
        'deploy_key_added',
        {
          add: 'deploy key',
          custom_message: expect.stringMatching(
            /^Added deploy key SHA256:\S+, which every project may enable$/,
          ),
        },
      ],
      [
        'deploy_key_added',
        {
          add: 'deploy key',
          custom_message: expect.stringMatching(/^Added deploy key SHA256:\S+, which may read$/),
        },
      ],
      ['deploy_key_title_updated', { change: 'title', from: 'Own', to: 'New' }],
      ['deploy_key_can_push_updated', { change: 'can push', from: 'false', to: 'true' }],
      ['deploy_key_removed', { remove: 'deploy key', custom_message: expect.stringContaining('SHA256:') }],
    ])
    expect(events.map(({ entity_type }) => entity_type)).toEqual([
      'Gitlab::Audit::InstanceScope',
      ...Array.from({ length: 4 }, () => 'Project'),
    ])
  })
})

test('what is done to badges is in the list of the place', async () => {
  const places = [
    ['projects', await w.project()],
    ['groups', await w.group()],
  ] as const
  const urls = { link_url: 'https://ci.example.com/', image_url: 'https://ci.example.com/badge.svg' }
  const both = `the picture ${urls.image_url} and the link ${urls.link_url}`
  for (const [kind, { id, owner }] of places) {
    const base = `/${kind}/${id}/badges`
    const events = await eventsOf(async () => {
      const { body } = await owner.post(base, { ...urls, name: 'Build' })
      await owner.put(`${base}/${body.id}`, { ...urls, name: 'Coverage' })
      await owner.put(`${base}/${body.id}`, urls)
      await owner.delete(`${base}/${body.id}`)
    })
    expect(toldBy(events)).toEqual([
      ['badge_created', { add: 'badge', custom_message: `Created badge with ${both}` }],
      ['badge_name_updated', { change: 'name', from: 'Build', to: 'Coverage' }],
      ['badge_deleted', { remove: 'badge', custom_message: `Deleted badge with ${both}` }],
    ])
    expect(events[2]?.details).toMatchObject({ target_type: 'Badge', target_details: 'Coverage' })
  }
})
