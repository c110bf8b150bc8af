import { beforeAll, describe, expect, test } from 'vitest'
import { application, signIn } from '#identity/oauth/test-support.ts'
import { findKey } from '#code/git-ssh/ssh-keys.ts'
import { newSshKey } from '#test/ssh-keys.ts'
import { type Actor, type Place, w } from '#test/world.ts'
import { answerOverSsh } from './over-ssh.ts'
import { lfsObject } from './test-support.ts'

const object = lfsObject('what all credentials are tried with')

/** What is sent as `Authorization`; undefined for nobody. */
type Credential = string | undefined
/** A name, what makes the credential, and the statuses of what is asked with it. */
type Row = readonly [string, (place: Place) => Promise<Credential> | Credential, readonly number[]]

/** The statuses of a batch that downloads, a download, a batch that uploads and an upload. */
async function statuses({ fullPath }: Place, authorization: Credential): Promise<number[]> {
  const headers = authorization === undefined ? {} : { authorization }
  const at = `${w.url}/${fullPath}.git`
  const batch = (operation: string) =>
    fetch(`${at}/info/lfs/objects/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ operation, objects: [{ oid: object.oid, size: object.size }] }),
    })
  const place = `${at}/gitlab-lfs/objects/${object.oid}`
  const body = new Uint8Array(object.bytes)
  const answers = [
    await batch('download'),
    await fetch(place, { headers }),
    await batch('upload'),
    await fetch(`${place}/${object.size}`, { method: 'PUT', headers, body }),
  ]
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.map(({ status }) => status)
}

const basic = (password: string, username = 'x') =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
const bearer = (token: string) => `Bearer ${token}`

type Role = 'developer' | 'reporter' | 'guest' | 'stranger'
const of = (role: Role) => (place: Place) => basic(place[role].token)
const personal =
  (...scopes: Parameters<typeof w.token>[1] & {}) =>
  async ({ developer }: Place) =>
    basic((await w.token(developer, scopes)).secret)
const oauth = (scope: string) => async (place: Place) =>
  bearer((await signIn(await application({ scopes: scope }), place.developer, scope)).access_token)

/** A token that an owner makes for a project, or for its group. */
async function madeAt(by: Actor, path: string, values: object): Promise<Record<string, string>> {
  const { status, body } = await by.post(path, { name: 'ci', ...values })
  if (status !== 201) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}
const soon = () => new Date(w.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10)
const groupOf = ({ fullPath }: Place) => encodeURIComponent(fullPath.slice(0, fullPath.lastIndexOf('/')))
const access = (at: 'project' | 'group', scope: string, level: number) => async (place: Place) => {
  const path = at === 'project' ? `/projects/${place.id}` : `/groups/${groupOf(place)}`
  const values = { scopes: [scope], access_level: level, expires_at: soon() }
  const by = at === 'project' ? place.owner : w.root
  return basic((await madeAt(by, `${path}/access_tokens`, values))['token'] ?? '')
}
const deployToken =
  (scope: string, at: (place: Place) => string = ({ id }) => `/projects/${id}`) =>
  async (place: Place) => {
    const made = await madeAt(w.root, `${at(place)}/deploy_tokens`, { scopes: [scope] })
    return basic(made['token'] ?? '', made['username'])
  }

/** What `git-lfs-authenticate` gives to a key. */
async function overSsh({ fullPath }: Place, id: number, operation: string): Promise<string> {
  const { services } = w.running
  const key = await findKey(services.db, { id })
  if (key === undefined) throw new Error('there is no such key')
  const asked = { kind: 'lfs', path: fullPath, operation } as const
  const said = await answerOverSsh(services, key, asked, { ip: '127.0.0.1', requestId: 'x' })
  return JSON.parse(said).header.Authorization
}
const deployKey = (can_push: boolean, operation: string) => async (place: Place) => {
  const values = { title: 'ci', key: newSshKey(), can_push }
  const { id } = (await place.maintainer.post(`/projects/${place.id}/deploy_keys`, values)).body
  return overSsh(place, id, operation)
}
const ownKey = (role: Role, operation: string) => async (place: Place) => {
  const { id } = (await place[role].post('/user/keys', { title: 'own', key: newSshKey() })).body
  return overSsh(place, id, operation)
}

const ALL = [200, 200, 200, 200]
const READS = [200, 200, 403, 403]
const NONE = [403, 403, 403, 403]
const UNKNOWN = [401, 401, 401, 401]

const anywhere: readonly Row[] = [
  ['a personal token with api', personal('api'), ALL],
  ['a personal token with write_repository', personal('write_repository'), ALL],
  ['a personal token with read_repository', personal('read_repository'), READS],
  ['a personal token with read_api', personal('read_api'), NONE],
  ['a personal token as a bearer', ({ developer }) => bearer(developer.token), ALL],
  ['a reporter', of('reporter'), READS],
  ['a token of the project for developers', access('project', 'write_repository', 30), ALL],
  ['a token of the project for reporters', access('project', 'write_repository', 20), READS],
  ['a token of the project that reads', access('project', 'read_repository', 30), READS],
  ['a token of the group', access('group', 'write_repository', 30), ALL],
  ['a token of the group that reads', access('group', 'read_repository', 30), READS],
  ['a token of the group with read_api', access('group', 'read_api', 30), NONE],
  ['an application with api', oauth('api'), ALL],
  ['an application with write_repository', oauth('write_repository'), ALL],
  ['an application with read_repository', oauth('read_repository'), READS],
  ['an application with read_api', oauth('read_api'), NONE],
  ['a deploy token', deployToken('read_repository'), READS],
  [
    'a deploy token of the group',
    deployToken('read_repository', (place) => `/groups/${groupOf(place)}`),
    READS,
  ],
  ['a deploy token of registries', deployToken('read_virtual_registry'), NONE],
  ['a deploy key that writes, for an upload', deployKey(true, 'upload'), ALL],
  ['a deploy key that writes, for a download', deployKey(true, 'download'), [200, 200, 401, 401]],
  ['a deploy key that reads', deployKey(false, 'download'), [200, 200, 401, 401]],
  ['a key of a developer, for an upload', ownKey('developer', 'upload'), ALL],
  ['a key of a reporter', ownKey('reporter', 'download'), [200, 200, 401, 401]],
  ['a token that nobody made', () => basic('glpat-nobody-has-made-this'), UNKNOWN],
  [
    'an expired token',
    async ({ developer }) => basic((await w.token(developer, ['api'], '2020-01-01')).secret),
    UNKNOWN,
  ],
  [
    'a revoked token',
    async ({ developer }) => {
      const { secret, client } = await w.token(developer)
      await client.delete('/personal_access_tokens/self')
      return basic(secret)
    },
    UNKNOWN,
  ],
  [
    'somebody who is blocked',
    async ({ id }) => {
      const user = await w.user()
      await w.root.post(`/projects/${id}/members`, { user_id: user.id, access_level: 30 })
      await w.root.post(`/users/${user.id}/block`)
      return basic(user.token)
    },
    NONE,
  ],
]

describe.each(['private', 'public'] as const)('in a %s project', (visibility) => {
  let place: Place
  beforeAll(async () => {
    const group = await w.group({ visibility })
    place = await w.project({ visibility, parent: group.id })
    await statuses(place, basic(place.developer.token))
  })

  test('a key that may not upload gets no credential for it', async () => {
    await expect(deployKey(false, 'upload')(place)).rejects.toThrow('This deploy key may only read')
    await expect(ownKey('reporter', 'upload')(place)).rejects.toThrow('not allowed to push')
  })

  const isPublic = visibility === 'public'
  test.each<Row>([
    ...anywhere,
    ['nobody', () => undefined, isPublic ? [200, 200, 401, 401] : UNKNOWN],
    ['a stranger', of('stranger'), isPublic ? READS : [404, 404, 404, 404]],
    ['a guest', of('guest'), isPublic ? READS : NONE],
    [
      'a deploy token of another project',
      async () => deployToken('read_repository')(await w.project()),
      [404, 404, 404, 404],
    ],
  ])('%s', async (_, credential, expected) => {
    expect(await statuses(place, await credential(place))).toEqual(expected)
  })
})
