import { describe, expect, test } from 'vitest'
import type { Scope } from '#platform/access/scopes.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { issueAccessToken } from '#identity/oauth/issue-tokens.ts'
import { unique } from '#test/world.ts'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { own, withVirtualRegistries } from '../test-support.ts'
import { accepted, closingRegistries, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

interface Login {
  readonly username: string
  readonly secret: string
}

/** A token of an application for somebody. @param state some do not work any more */
async function ofApplication(
  user: { readonly id: number },
  scopes: readonly Scope[],
  state: 'good' | 'expired' | 'revoked' = 'good',
): Promise<Login> {
  const { status, body } = await own.root.post('/applications', {
    name: unique('App'),
    redirect_uri: 'https://app.example/callback',
    scopes: scopes.join(' '),
  })
  expect(status).toBe(201)
  const { id } = await own.db
    .selectFrom('applications')
    .select('id')
    .where('uid', '=', body.application_id)
    .executeTakeFirstOrThrow()
  const { access_token: secret } = await own.write((tx) =>
    issueAccessToken(tx, { application_id: id, user_id: user.id, grant_id: null, scopes }),
  )
  const ended = {
    expired: { ends_at: '2020-01-01T00:00:00Z' },
    revoked: { revoked_at: '2020-01-01T00:00:00Z' },
  }
  if (state !== 'good')
    await own.db
      .updateTable('oauth_access_tokens')
      .set(ended[state])
      .where('application_id', '=', id)
      .execute()
  return { username: 'oauth2', secret }
}

type Virtual = Awaited<ReturnType<typeof virtual>>
type Kind = 'personal' | 'project' | 'group' | 'OAuth' | 'deploy'

/** A token of each kind, with some scopes. */
const tokens: Readonly<Record<Kind, (place: Virtual, scope: Scope) => Promise<Login>>> = {
  personal: async ({ group }, scope) => ({
    username: group.guest.username,
    secret: (await own.token(group.guest, [scope])).secret,
  }),
  project: async ({ group }, scope) => {
    const { id, owner } = await own.project({ parent: group.id })
    return botOf(`/projects/${id}`, owner, scope)
  },
  group: ({ group }, scope) => botOf(`/groups/${group.id}`, group.owner, scope),
  OAuth: ({ group }, scope) => ofApplication(group.guest, [scope]),
  deploy: async ({ group }, scope) => {
    const { status, body } = await group.owner.post(`/groups/${group.id}/deploy_tokens`, {
      name: 'x',
      scopes: [scope],
    })
    expect(status).toBe(201)
    return { username: body.username, secret: body.token }
  },
}

async function botOf(place: string, owner: Virtual['group']['owner'], scope: Scope): Promise<Login> {
  const expires_at = daysAfter(dayOf(new Date()), 30)
  const request = { name: 'x', scopes: [scope], access_level: 10, expires_at }
  const { status, body } = await owner.post(`${place}/access_tokens`, request)
  expect(status).toBe(201)
  return { username: 'anything', secret: body.token }
}

const basic = ({ username, secret }: Login) =>
  `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`

/** How a server answers each way to send a token: for another one, and right with the request for a manifest. */
async function answers({ registry }: Virtual, login: Login) {
  const scope = `repository:virtual_registries/container/${registry.id}/a:pull`
  const url = `${own.url}/v2/virtual_registries/container/${registry.id}/a/manifests/v1`
  const given = await fetch(`${own.url}/jwt/auth?service=container_registry&scope=${scope}`, {
    headers: { authorization: basic(login) },
  })
  const { token = '' }: { token?: string } = JSON.parse(await given.text())
  const get = async (authorization: string) => {
    const answer = await fetch(url, { headers: { ...accepted, authorization } })
    await answer.arrayBuffer()
    return answer.status
  }
  return {
    auth: given.status,
    withToken: token === '' ? undefined : await get(`Bearer ${token}`),
    basic: await get(basic(login)),
    bearer: await get(`Bearer ${login.secret}`),
  }
}

async function withImage() {
  const place = await virtual()
  place.source.image('a', 'v1')
  return place
}

describe('the token of a job', () => {
  const loginOf = ({ token }: { readonly token: string }): Login => ({
    username: 'gitlab-ci-token',
    secret: token,
  })

  test('pulls through the registries of the groups above, as long as the job runs', async () => {
    const place = await withImage()
    const job = await withRunningJob({ world: own, parent: place.group.id })
    expect(await answers(place, loginOf(job))).toEqual(good)
    const url = `${own.url}/v2/virtual_registries/container/${place.registry.id}/a/manifests/v1`
    const scope = `repository:virtual_registries/container/${place.registry.id}/a:pull`
    const given = await fetch(`${own.url}/jwt/auth?service=container_registry&scope=${scope}`, {
      headers: { authorization: basic(loginOf(job)) },
    })
    const { token }: { token: string } = JSON.parse(await given.text())
    const get = () => fetch(url, { headers: { ...accepted, authorization: `Bearer ${token}` } })
    expect((await get()).status).toBe(200)
    await job.finish(job.pipeline.id, 'build')
    expect((await get()).status).toBe(401)
    expect(await answers(place, loginOf(job))).toEqual(refused(401))
  })

  test('does not through those of other groups, whatever its person may do there', async () => {
    const place = await withImage()
    const job = await withRunningJob({ world: own })
    await own.member(place.group.id, job.developer, 50)
    expect(await answers(place, loginOf(job))).toEqual({ auth: 200, withToken: 404, basic: 404, bearer: 404 })
  })
})

const good = { auth: 200, withToken: 200, basic: 200, bearer: 200 }
const refused = (status: number) => ({ auth: status, withToken: undefined, basic: status, bearer: status })

describe.each<[Kind, Scope, object]>([
  ['personal', 'api', good],
  ['personal', 'read_virtual_registry', good],
  ['personal', 'write_virtual_registry', good],
  ['personal', 'read_api', refused(403)],
  ['project', 'read_virtual_registry', good],
  ['project', 'read_repository', refused(403)],
  ['group', 'read_virtual_registry', good],
  ['group', 'read_repository', refused(403)],
  ['OAuth', 'api', good],
  ['OAuth', 'read_virtual_registry', good],
  ['OAuth', 'write_virtual_registry', good],
  ['OAuth', 'read_api', refused(403)],
  ['OAuth', 'read_user', refused(403)],
  ['deploy', 'read_virtual_registry', good],
  ['deploy', 'write_virtual_registry', good],
  ['deploy', 'read_repository', refused(403)],
])('a %s token with the scope %s', (kind, scope, expected) => {
  test('is answered the same in each way to send it', async () => {
    const place = await withImage()
    expect(await answers(place, await tokens[kind](place, scope))).toEqual(expected)
  })
})

describe('a token of an application', () => {
  test.each(['expired', 'revoked'] as const)('that is %s is refused', async (state) => {
    const place = await withImage()
    const login = await ofApplication(place.group.guest, ['api'], state)
    expect(await answers(place, login)).toEqual(refused(401))
  })

  test('opens what its user may see, and nothing else', async () => {
    const place = await withImage()
    const login = await ofApplication(place.group.stranger, ['api'])
    expect(await answers(place, login)).toEqual({ auth: 200, withToken: 404, basic: 404, bearer: 404 })
  })

  test('of no user, as machines get it, pulls nothing', async () => {
    const place = await withImage()
    const made = await own.root.post('/applications', {
      name: unique('App'),
      redirect_uri: 'https://app.example/callback',
      scopes: 'api',
    })
    const answer = await fetch(`${own.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: made.body.application_id,
        client_secret: made.body.secret,
      }),
    })
    const { access_token: secret = 'gloat-none' }: { access_token?: string } = JSON.parse(await answer.text())
    expect(await answers(place, { username: 'oauth2', secret })).toEqual(refused(401))
  })

  test('of somebody who is blocked later pulls nothing with what it got before', async () => {
    const place = await withImage()
    const user = await own.user()
    await own.member(place.group.id, user, 10)
    const login = await ofApplication(user, ['read_virtual_registry'])
    expect(await answers(place, login)).toEqual(good)
    await own.root.post(`/users/${user.id}/block`)
    const { basic: withSecret, bearer, auth } = await answers(place, login)
    for (const status of [withSecret, bearer, auth]) expect(status).not.toBe(200)
  })
})

test('without the plan for it, nobody pulls', async () => {
  const place = await withImage()
  const free = await own.another()
  try {
    const login = { username: 'x', secret: place.group.guest.token }
    const answer = await fetch(
      `${free.url}/v2/virtual_registries/container/${place.registry.id}/a/manifests/v1`,
      { headers: { ...accepted, authorization: basic(login) } },
    )
    expect([answer.status, JSON.parse(await answer.text()).errors[0].code]).toEqual([403, 'DENIED'])
    expect(place.source.questions).toEqual([])
  } finally {
    await free.stop()
  }
})
