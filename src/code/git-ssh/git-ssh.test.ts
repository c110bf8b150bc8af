import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, openWorld, type World } from '#test/world.ts'
import { SshClient } from './test-support.ts'

let own: World
let site: string
let client: SshClient
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  site = own.running.services.sshSite() ?? ''
  client = await SshClient.open()
  p = await own.project()
  await client.addTo(p.developer)
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await own.running.stop()
})

const urlOf = (path: string) => `${site}${path}.git`

describe('with a key of their own', () => {
  test('people are greeted by name, and get no shell', async () => {
    expect(await client.ssh(site, '-T')).toMatchObject({
      code: 0,
      out: `Welcome to Forgelet, @${p.developer.username}!\n`,
    })
    expect(await client.ssh(site, 'ls')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Forgelet: this server runs no shell and no other programs: use git.\n'),
    })
  })

  test('people push with options, and read what came of them', async () => {
    const place = await own.project()
    await own.member(place.namespaceId, p.developer, 40)
    const work = await client.git.init(urlOf(place.fullPath), 'options')
    await work.commit({ a: 'a' })
    await work.run('push', '--quiet', 'origin', 'HEAD:main')
    await work.commit({ b: 'b' }, 'Say b')
    const pushed = await work.try('push', '-o', 'merge_request.create', '-o', 'what', 'origin', 'HEAD:b')
    expect(pushed).toMatchObject({ code: 0 })
    expect(pushed.err).toContain('remote: Forgelet: This server does not know these push options: what.')
    expect(pushed.err).toMatch(/remote: View merge request for b:\s+remote:   \S+\/merge_requests\/1/)
    const { body } = await place.maintainer.get(`/projects/${place.id}/merge_requests`)
    expect(body).toMatchObject([{ title: 'Say b', author: { id: p.developer.id } }])
  })

  test('people cannot change files that somebody else has locked', async () => {
    const place = await own.project()
    await own.member(place.namespaceId, p.developer, 40)
    const work = await client.git.init(urlOf(place.fullPath), 'locked')
    await work.commit({ a: 'a' })
    const row = { project_id: place.id, path: 'a', created_at: own.clock.now().toISOString() }
    await own.db
      .insertInto('lfs_locks')
      .values({ ...row, user_id: place.maintainer.id })
      .execute()
    expect(await work.try('push', 'origin', 'HEAD:main')).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `remote: Forgelet: The path 'a' is locked in Git LFS by @${place.maintainer.username}`,
      ),
    })
  })

  test('people make a project by pushing to a path that is new, and machines do not', async () => {
    const path = `${p.developer.username}/by-push`
    const url = urlOf(path)
    const work = await client.git.init(url, 'made')
    const head = await work.commit({ a: 'a' })
    expect((await client.git.try(['ls-remote', url])).err).toContain('Forgelet: Project Not Found')
    await using machine = await SshClient.open()
    const add = { title: 'Machine', key: machine.publicKey, can_push: true }
    expect((await p.maintainer.post(`/projects/${p.id}/deploy_keys`, add)).status).toBe(201)
    const other = await machine.git.init(url, 'made')
    await other.commit({ a: 'a' })
    expect((await other.try('push', 'origin', 'HEAD:main')).err).toContain('Forgelet: Project Not Found')
    const { code, err } = await work.try('push', 'origin', 'HEAD:main')
    expect([code, err]).toEqual([0, expect.stringContaining(`The private project ${path} was created.`)])
    expect(err).toContain(`git remote add origin ${url}`)
    const { body } = await p.developer.get(`/projects/${encodeURIComponent(path)}/repository/branches/main`)
    expect(body.commit.id).toBe(head)
    const hidden = await client.git.init(urlOf(`${p.owner.username}/by-push`), 'hidden')
    await hidden.commit({ a: 'a' })
    expect((await hidden.try('push', 'origin', 'HEAD:main')).err).toContain('Forgelet: Project Not Found')
  })

  test('people push and clone', async () => {
    const first = await p.maintainer.post(`/projects/${p.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'b.txt', content: 'b' }],
    })
    expect(first.status).toBe(201)
    const work = await client.git.init(urlOf(p.fullPath), 'work')
    const head = await work.commit({ 'a.txt': 'a' })
    await work.run('push', 'origin', 'HEAD:feature')
    await work.run('push', 'origin', 'HEAD:gone')
    await work.run('push', 'origin', ':gone')
    const clone = await client.git.clone(urlOf(p.fullPath), 'clone', '--branch', 'feature')
    expect(await clone.id('HEAD')).toBe(head)
    const archive = await client.git.run([
      'archive',
      `--remote=${urlOf(p.fullPath)}`,
      '--format=tar',
      'feature',
    ])
    expect(archive).toContain('a.txt')
    const refused = await work.try('push', '--force', 'origin', 'HEAD:main')
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('Forgelet: You may not push to the protected branch main'),
    })
  })
})

describe('a key that may not be used', () => {
  test.each([
    ['has expired', 'This SSH key has expired.', async () => undefined],
    [
      'belongs to somebody who is blocked',
      'Your account has been blocked.',
      (person: Actor) => own.root.post(`/users/${person.id}/block`),
    ],
  ])('%s: a sentence says so', async (what, sentence, change) => {
    const person = await own.user()
    await using other = await SshClient.open()
    const id = await other.addTo(person)
    await change(person)
    if (what === 'has expired')
      await own.db.updateTable('ssh_keys').set({ expires_at: '2020-01-01' }).where('id', '=', id).execute()
    const { code, out, err } = await other.ssh(site, '-T')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`Forgelet: ${sentence}\n`)
  })

  test('only signs, or is unknown: nobody comes in with it', async () => {
    await using other = await SshClient.open()
    expect((await other.ssh(site, '-T')).code).toBe(255)
    await other.addTo(p.reporter, { usage_type: 'signing' })
    const { code, err } = await other.ssh(site, '-T')
    expect(code).toBe(255)
    expect(err).toContain('Permission denied (publickey)')
  })

  test('is in the audit events when it fails often', async () => {
    const person = await own.user()
    await using other = await SshClient.open()
    const id = await other.addTo(person)
    await own.root.post(`/users/${person.id}/block`)
    await Promise.all(Array.from({ length: 10 }, () => other.ssh(site, '-T')))
    const events = await own.db
      .selectFrom('facts')
      .select('details')
      .where('name', '=', 'SSH key failed often')
      .where('target_id', '=', id)
      .execute()
    expect(events).toMatchObject([{ details: { user_id: person.id, times: 10 } }])
  })
})

describe('a deploy key', () => {
  test('reads the projects in which it is enabled, and pushes where it may', async () => {
    await using machine = await SshClient.open('ecdsa')
    const add = { title: 'Machine', key: machine.publicKey }
    const { body: key } = await p.maintainer.post(`/projects/${p.id}/deploy_keys`, add)
    expect((await machine.ssh(site, '-T')).out).toBe('Welcome to Forgelet, deploy key "Machine"!\n')
    const work = await machine.git.clone(urlOf(p.fullPath), 'work')
    await work.commit({ c: 'c' })
    const push = () => work.try('push', 'origin', 'HEAD:by-machine')
    expect((await push()).err).toContain('Forgelet: This deploy key may only read this project.\n')
    await p.maintainer.put(`/projects/${p.id}/deploy_keys/${key.id}`, { can_push: true })
    expect(await push()).toMatchObject({ code: 0 })
    expect((await work.try('push', 'origin', 'HEAD:main')).err).toContain('protected branch main')
    const other = await own.project()
    expect((await machine.git.try(['ls-remote', urlOf(other.fullPath)])).err).toContain(
      'Forgelet: Project Not Found',
    )
  })

  test('does not push to a project whose group is archived', async () => {
    const group = await own.group()
    const { id, fullPath, maintainer } = await own.project({ parent: group.id })
    await using machine = await SshClient.open()
    const key = { title: 'Machine', key: machine.publicKey, can_push: true }
    expect((await maintainer.post(`/projects/${id}/deploy_keys`, key)).status).toBe(201)
    await maintainer.post(`/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    })
    const work = await machine.git.clone(urlOf(fullPath), 'archived')
    await work.commit({ b: 'b' })
    expect((await work.try('push', 'origin', 'HEAD:one')).code).toBe(0)
    expect((await group.owner.post(`/groups/${group.id}/archive`)).status).toBe(201)
    const { code, err } = await work.try('push', 'origin', 'HEAD:two')
    expect([code, err]).toEqual([128, expect.stringContaining('This project is archived')])
  })
})

test('a deploy key that asks for a merge request pushes, and is told that this takes a person', async () => {
  const place = await own.project()
  await using machine = await SshClient.open()
  const add = { title: 'Robot', key: machine.publicKey, can_push: true }
  expect((await place.maintainer.post(`/projects/${place.id}/deploy_keys`, add)).status).toBe(201)
  const first = await place.maintainer.post(`/projects/${place.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  })
  expect(first.status).toBe(201)
  const work = await machine.git.clone(urlOf(place.fullPath), 'robot')
  const head = await work.commit({ b: 'b' })
  const pushed = await work.try('push', '-o', 'merge_request.create', 'origin', 'HEAD:by-robot')
  expect(pushed).toMatchObject({ code: 0 })
  expect(pushed.err).toContain(
    'Forgelet: Options for merge requests take a person, and this credential belongs to none.',
  )
  expect(await work.run('ls-remote', 'origin', 'refs/heads/by-robot')).toContain(head)
  const { body } = await place.maintainer.get(`/projects/${place.id}/merge_requests`)
  expect(body).toEqual([])
})

describe('a repository', () => {
  test('that has moved is served, with a remark', async () => {
    const moved = await own.project()
    await moved.owner.put(`/projects/${moved.id}`, { path: 'renamed' })
    const reporter = await SshClient.open()
    await reporter.addTo(moved.reporter)
    const { code, err } = await reporter.git.try(['ls-remote', urlOf(moved.fullPath)])
    expect(code).toBe(0)
    expect(err).toMatch(/Forgelet: this repository is at .*\/renamed\.git now\./)
  })

  test('that is being moved is read, and a push is told to come again', async () => {
    const moving = await own.project()
    const moved = await moving.owner.post(`/projects/${moving.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    })
    expect(moved.status).toBe(201)
    await using developer = await SshClient.open()
    await developer.addTo(moving.developer)
    const work = await developer.git.clone(urlOf(moving.fullPath), 'moving')
    await own.db
      .updateTable('repositories')
      .set({ read_only_because: 'move' })
      .where('project_id', '=', moving.id)
      .execute()
    await work.commit({ b: 'b' })
    const { code, err } = await work.try('push', 'origin', 'HEAD:feature')
    const sentence = 'Forgelet: The repository is temporarily read-only. Please try again later.\n'
    expect([code, err]).toEqual([128, expect.stringContaining(sentence)])
    expect(await developer.git.try(['ls-remote', urlOf(moving.fullPath)])).toMatchObject({ code: 0 })
  })

  test('has an address, and its key a last use', async () => {
    const { body: project } = await p.developer.get(`/projects/${p.id}`)
    expect(project.ssh_url_to_repo).toBe(urlOf(p.fullPath))
    await own.running.services.lastUsed.flush()
    const { body: keys } = await p.developer.get('/user/keys')
    expect(keys).toMatchObject([{ last_used_at: expect.any(String) }])
  })
})

test('metrics count sessions and what doors ask for', async () => {
  await client.ssh(site, '-T')
  const page = await (await fetch(`${own.url}/-/metrics`)).text()
  expect(page).toMatch(/^forgelet_ssh_requests_total\{outcome="session served"\} [1-9]/m)
  expect(page).toMatch(/^forgelet_ssh_requests_total\{outcome="key found"\} [1-9]/m)
  expect(page).toMatch(/^forgelet_ssh_sessions \d/m)
})

test('nothing but sessions is accepted', async () => {
  const forwarded = await client.ssh(site, '-T', '-W', '127.0.0.1:1')
  expect(forwarded.err).toMatch(/open failed|forwarding failed/)
  expect((await client.ssh(site, '-s', 'sftp')).err).toContain('subsystem request failed')
  const remote = await client.ssh(site, '-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:1', '-T')
  expect(remote.err).toContain('remote port forwarding failed')
})
