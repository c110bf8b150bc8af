import { expect, it } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { cloneOf, fresh, git, urlWith, withGit } from './test-support.ts'

withGit()

const unique = () => `pushed-${fresh()}`

async function workWith(url: string) {
  const work = await git().init(url, fresh())
  return { work, head: await work.commit({ a: '1' }) }
}

const push = async (actor: Pick<Actor, 'token'>, path: string) =>
  (await workWith(urlWith(actor.token, path))).work.try('push', 'origin', 'main')

const found = async (path: string) => (await w.root.get(`/projects/${encodeURIComponent(path)}`)).status

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
})

it('makes a private project where somebody pushes to a path that is new', async () => {
  const person = await w.user()
  const path = `${person.username}/${unique()}`
  const url = urlWith(person.token, path)
  const { work, head } = await workWith(url)
  const pushed = await work.try('push', 'origin', 'main')
  expect(pushed).toMatchObject({ code: 0 })
  const lines = pushed.err.split('\n').map((line) => line.trimEnd())
  expect(lines).toEqual(
    expect.arrayContaining([
      `remote: The private project ${path} was created.`,
      `remote:   git remote add origin ${w.url}/${path}.git`,
      `remote:   ${w.url}/${path}`,
    ]),
  )
  const { body } = await person.get(`/projects/${encodeURIComponent(path)}`)
  expect(body).toMatchObject({
    path_with_namespace: path,
    visibility: 'private',
    default_branch: 'main',
    creator_id: person.id,
  })
  const { body: events } = await person.get(`/projects/${body.id}/events`)
  expect(events.map((one: { action_name: string }) => one.action_name).toSorted()).toEqual([
    'created',
    'pushed new',
  ])
  expect(await (await cloneOf(url)).id('HEAD')).toBe(head)
  const again = await work.try('push', 'origin', 'main:other')
  expect(again.err).not.toContain('was created')
})

it('makes it in groups, where the role and the settings of the group let somebody', async () => {
  const group = await w.group()
  const subgroup = await w.group({ parent: group.id })
  const path = `${subgroup.fullPath}/${unique()}`
  expect((await push(group.reporter, path)).err).toContain('not found')
  expect(await found(path)).toBe(404)
  expect(await push(group.maintainer, path)).toMatchObject({ code: 0 })
  expect(await found(path)).toBe(200)
  await group.owner.put(`/groups/${subgroup.id}`, { project_creation_level: 'noone' })
  expect((await push(group.maintainer, `${path}-2`)).code).toBe(128)
  expect(await found(`${path}-2`)).toBe(404)
})

it('answers the same 404 whatever is in the way, and makes nothing', async () => {
  const person = await w.user()
  const hidden = await w.project()
  const limited = await w.user()
  await w.root.put(`/users/${limited.id}`, { projects_limit: 0 })
  const table: (readonly [Pick<Actor, 'token'>, string])[] = [
    [person, hidden.fullPath],
    [person, `${hidden.fullPath.split('/')[0]}/${unique()}`],
    [person, `${person.username}-nowhere/${unique()}`],
    [person, unique()],
    [person, `${limited.username}/${unique()}`],
    [person, `${person.username}/blob`],
    [person, `${person.username}/${unique()}.wiki`],
    [person, `${person.username}/-dash`],
    [person, `${person.username}/a b`],
    [person, `1/${unique()}`],
    [limited, `${limited.username}/${unique()}`],
  ]
  for (const [actor, path] of table) {
    const there = `${w.url}/${path.split('/').map(encodeURIComponent).join('/')}.git`
    const headers = basic(actor.token)
    const asked = await fetch(`${there}/info/refs?service=git-receive-pack`, { headers })
    expect([path, asked.status, await asked.text()]).toEqual([path, 404, 'Project Not Found\n'])
    const type = 'application/x-git-receive-pack-request'
    const sent = { method: 'POST', body: '0000', headers: { ...headers, 'content-type': type } }
    const answer = await fetch(`${there}/git-receive-pack`, sent)
    expect([path, answer.status, await answer.text()]).toEqual([path, 404, 'Project Not Found\n'])
  }
})

it('takes a token that may write repositories, and no fetch makes anything', async () => {
  const person = await w.user()
  const path = `${person.username}/${unique()}`
  const reading = await w.token(person, ['read_repository', 'read_api'])
  expect((await push({ token: reading.secret }, path)).err).toContain('403')
  const url = urlWith(person.token, path)
  expect((await git().try(['ls-remote', url])).err).toContain('not found')
  expect((await git().try(['ls-remote', urlWith(undefined, path)])).code).not.toBe(0)
  const refs = `${w.url}/${path}.git/info/refs?service=git-receive-pack`
  expect((await fetch(refs, { headers: basic(person.token) })).status).toBe(200)
  expect(await found(path)).toBe(404)
  const writing = await w.token(person, ['write_repository'])
  expect(await push({ token: writing.secret }, path)).toMatchObject({ code: 0 })
})

it('makes one project for two pushes at once, and keeps an empty one for a push that ended early', async () => {
  const person = await w.user()
  const path = `${person.username}/${unique()}`
  const { work } = await workWith(urlWith(person.token, path))
  const pushes = await Promise.all(['a', 'b'].map((name) => work.try('push', 'origin', `main:${name}`)))
  // What git said tells why, if one of them fails.
  expect(pushes.map(({ code, err }) => (code === 0 ? 'pushed' : err))).toEqual(['pushed', 'pushed'])
  const { body } = await person.get(`/projects/${encodeURIComponent(path)}/repository/branches`)
  expect(body.map((one: { name: string }) => one.name)).toEqual(['a', 'b'])

  const killed = `${person.username}/${unique()}`
  const half = '00a00000000000000000000000000000000000000000'
  const type = 'application/x-git-receive-pack-request'
  const answer = await fetch(`${w.url}/${killed}.git/git-receive-pack`, {
    method: 'POST',
    body: half,
    headers: { ...basic(person.token), 'content-type': type },
  })
  expect(answer.status).toBe(400)
  expect(await push(person, killed)).toMatchObject({ code: 0 })
})
