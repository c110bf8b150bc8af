import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

describe('allowed_email_domains_list', () => {
  const withDomains = async (domains: string) => {
    const group = await w.group()
    const { body } = await group.owner.put(`/groups/${group.id}`, { allowed_email_domains_list: domains })
    return { group, stored: body.allowed_email_domains_list }
  }
  const person = (domain: string) => {
    const username = unique('person')
    return w.user({ username, email: `${username}@${domain}` })
  }
  const refusal = {
    status: 400,
    body: { message: { user: ['e-mail address is not in a domain that the group allows'] } },
  }

  test('lets only people of these domains become members of the group and of what is in it', async () => {
    const { group, stored } = await withDomains('Example.org, corp.example')
    expect(stored).toBe('example.org,corp.example')
    const inner = await w.group({ parent: group.id })
    const project = await w.project({ parent: inner.id })
    for (const path of [`/groups/${group.id}`, `/groups/${inner.id}`, `/projects/${project.id}`]) {
      const by = path.startsWith('/projects')
        ? project.owner
        : path.endsWith(`/${group.id}`)
          ? group.owner
          : inner.owner
      const add = async (user: { id: number }) =>
        by.post(`${path}/members`, { user_id: user.id, access_level: 10 })
      expect((await add(await person('example.org'))).status).toBe(201)
      expect((await add(await person('CORP.example'))).status).toBe(201)
      for (const domain of ['example.com', 'sub.example.org', 'notexample.org']) {
        expect(await add(await person(domain))).toMatchObject(refusal)
      }
    }
  })

  test('names those of several who cannot be added, and adds the others', async () => {
    const { group } = await withDomains('example.org')
    const [fits, other] = [await person('example.org'), await person('example.com')]
    const { body } = await group.owner.post(`/groups/${group.id}/members`, {
      user_id: `${fits.id},${other.id}`,
      access_level: 10,
    })
    expect(body).toEqual({
      status: 'error',
      message: { [other.username]: "User's e-mail address is not in a domain that the group allows" },
    })
    expect((await group.owner.get(`/groups/${group.id}/members/${fits.id}`)).status).toBe(200)
    expect((await group.owner.get(`/groups/${group.id}/members/${other.id}`)).status).toBe(404)
  })

  test('a group in another narrows what that allows; members and tokens that there are stay', async () => {
    const { group } = await withDomains('example.org, corp.example')
    const inner = await w.group({ parent: group.id })
    await inner.owner.put(`/groups/${inner.id}`, { allowed_email_domains_list: 'corp.example' })
    const add = async (domain: string) =>
      (
        await inner.owner.post(`/groups/${inner.id}/members`, {
          user_id: (await person(domain)).id,
          access_level: 10,
        })
      ).status
    expect([await add('corp.example'), await add('example.org')]).toEqual([201, 400])
    expect((await inner.guest.get(`/groups/${inner.id}`)).status).toBe(200)
    const token = { name: 'bot', scopes: ['api'], access_level: 10 }
    expect((await inner.owner.post(`/groups/${inner.id}/access_tokens`, token)).status).toBe(201)
    await inner.owner.put(`/groups/${inner.id}`, { allowed_email_domains_list: '' })
    expect(await add('example.org')).toBe(201)
  })

  test.each(['nonsense', '@example.com', 'example.com, user@example.org', '*.example.com', 'a b'])(
    'is not %s',
    async (domains) => {
      const { id, owner } = await w.group()
      const { status, body } = await owner.put(`/groups/${id}`, { allowed_email_domains_list: domains })
      expect(status).toBe(400)
      expect(body.message.allowed_email_domains_list[0]).toContain(
        'which is not a domain such as example.com',
      )
    },
  )
})

describe('who sees how to get in', () => {
  test('owners and administrators alone', async () => {
    const group = await w.group({ visibility: 'public' })
    await group.owner.put(`/groups/${group.id}`, {
      allowed_email_domains_list: 'example.com',
      ip_restriction_ranges: '0.0.0.0/0,::/0',
    })
    const set = { allowed_email_domains_list: 'example.com', ip_restriction_ranges: '0.0.0.0/0,::/0' }
    for (const by of [group.owner, group.admin]) {
      expect((await by.get(`/groups/${group.id}`)).body).toMatchObject(set)
    }
    for (const by of [group.maintainer, group.guest, group.stranger, group.anonymous]) {
      const shown = await by.get(`/groups/${group.id}`)
      const listed = await by.get(`/groups?search=${group.fullPath}`)
      expect([shown.status, listed.status]).toEqual([200, 200])
      for (const { text } of [shown, listed]) {
        for (const name of Object.keys(set)) expect(text).not.toContain(name)
      }
    }
  })
})

describe('what cannot be kept', () => {
  test.each([
    [
      { require_two_factor_authentication: true },
      'require_two_factor_authentication: there is no second factor yet',
    ],
    [
      { unique_project_download_limit: 5 },
      'unique_project_download_limit: downloads of projects are not counted yet',
    ],
    [
      { auto_ban_user_on_excessive_projects_download: true },
      'auto_ban_user_on_excessive_projects_download: downloads of projects are not counted yet',
    ],
    [{ ldap_cn: 'admins' }, 'ldap_cn: there is no LDAP yet'],
    [{ ldap_access: 30 }, 'ldap_access: there is no LDAP yet'],
    [
      { only_allow_merge_if_pipeline_succeeds: true },
      'only_allow_merge_if_pipeline_succeeds: each project says itself what merging takes',
    ],
    [
      { step_up_auth_required_oauth_provider: 'oidc' },
      'step_up_auth_required_oauth_provider: nobody signs in a second time',
    ],
  ])('%o is refused, for new groups and old ones, and not stored', async (settings, because) => {
    const group = await w.group()
    const refused = { status: 400, body: { message: `400 Bad request - ${because}` } }
    expect(await group.owner.put(`/groups/${group.id}`, { ...settings, description: 'new' })).toMatchObject(
      refused,
    )
    const path = unique('refused')
    expect(await group.owner.post('/groups', { name: path, path, ...settings })).toMatchObject(refused)
    expect((await group.owner.get(`/groups/${group.id}`)).body).toMatchObject({
      require_two_factor_authentication: false,
      description: '',
    })
  })

  test('what asks for nothing is accepted, as clients that send every setting do', async () => {
    const { id, owner } = await w.group()
    const nothing = {
      require_two_factor_authentication: false,
      two_factor_grace_period: 48,
      unique_project_download_limit: 0,
      ldap_cn: null,
    }
    expect((await owner.put(`/groups/${id}`, nothing)).status).toBe(200)
  })

  test('settings of the instance that nothing keeps stay off', async () => {
    const before = (await w.root.get('/application/settings')).body
    for (const [name, because] of [['signup_enabled', 'people cannot register themselves yet']] as const) {
      expect(await w.root.put('/application/settings', { [name]: true })).toMatchObject({
        status: 400,
        body: { message: { [name]: [`cannot be changed: ${because}`] } },
      })
      expect((await w.root.put('/application/settings', { [name]: false })).body[name]).toBe(false)
    }
    expect((await w.root.get('/application/settings')).body).toMatchObject({
      ...before,
      updated_at: expect.any(String),
    })
  })
})
