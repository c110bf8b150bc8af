import { describe, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { lock, locks } from './test-support.ts'

describe('locking files', () => {
  it('gives a file to one person, and tells everybody else whose it is', async () => {
    const { fullPath, developer, maintainer } = await w.project()
    const made = await locks(fullPath, '', { token: developer.token, body: { path: './a//b.bin' } })
    expect(made).toMatchObject({
      status: 201,
      body: { lock: { path: 'a/b.bin', owner: { name: developer.username } } },
    })
    expect(made.headers.get('content-type')).toBe('application/vnd.git-lfs+json')
    const { id, locked_at } = made.body.lock
    expect(id).toMatch(/^\d+$/)
    expect(new Date(locked_at).toISOString()).toBe(locked_at)
    for (const { token } of [maintainer, developer])
      expect(
        await locks(fullPath, '', { token, body: { path: 'a/b.bin', ref: { name: 'x' } } }),
      ).toMatchObject({
        status: 409,
        body: { lock: made.body.lock, message: `'a/b.bin' is locked by @${developer.username} already` },
      })
  })

  it('gives a file to one of many who lock it at once', async () => {
    const { fullPath, developer, maintainer, owner } = await w.project()
    const people = [developer, maintainer, owner, developer]
    const answers = await Promise.all(
      people.map(({ token }) => locks(fullPath, '', { token, body: { path: 'a' } })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
    expect(new Set(answers.map(({ body }) => body.lock.id)).size).toBe(1)
  })

  it('takes paths of files in a repository alone', async () => {
    const { fullPath, developer } = await w.project()
    const { token } = developer
    for (const path of ['', '/', '.', '../a', 'a/../b', 'a\0b', '\ud800', 'é'.repeat(1_025)])
      expect(await locks(fullPath, '', { token, body: { path } })).toMatchObject({ status: 422 })
    expect(await locks(fullPath, '', { token, body: { path: 'é'.repeat(1_024) } })).toMatchObject({
      status: 201,
    })
    for (const body of [{}, { path: 1 }, [], 'null', { path: 'a', ref: 1 }])
      expect(await locks(fullPath, '', { token, body })).toMatchObject({ status: 422 })
    expect(await locks(fullPath, '', { token, body: '{' })).toMatchObject({ status: 400 })
    expect(await locks(fullPath, '', { token, body: 'x'.repeat(40_000) })).toMatchObject({ status: 413 })
  })

  it('takes the Developer role, and a credential of a person', async () => {
    const { id, fullPath, reporter, stranger, owner } = await w.project({ visibility: 'public' })
    const body = { path: 'a' }
    expect(await locks(fullPath, '', { body })).toMatchObject({
      status: 401,
      body: { message: /Unauthorized/ },
    })
    for (const { token } of [reporter, stranger])
      expect(await locks(fullPath, '', { token, body })).toMatchObject({ status: 403 })
    const made = await owner.post(`/projects/${id}/deploy_tokens`, {
      name: 'ci',
      scopes: ['read_repository'],
    })
    const deploy = { username: made.body.username, token: made.body.token }
    expect(await locks(fullPath, '', { ...deploy, body })).toMatchObject({ status: 403 })
    expect(await locks(fullPath, '', deploy)).toMatchObject({ status: 200, body: { locks: [] } })
    const reading = await w.token(owner, ['read_repository'])
    expect(await locks(fullPath, '', { token: reading.secret, body })).toMatchObject({ status: 403 })
    await owner.post(`/projects/${id}/archive`)
    expect(await locks(fullPath, '', { token: owner.token, body })).toMatchObject({ status: 403 })
  })

  it('is there for repositories of projects with LFS', async () => {
    const { id, fullPath, owner } = await w.project()
    const { token } = owner
    await lock(fullPath, owner, 'a')
    expect(await locks(`${fullPath}.wiki`, '', { token })).toMatchObject({ status: 404 })
    expect(await locks('no/such', '', { token })).toMatchObject({ status: 404 })
    expect(await locks('no/such', '')).toMatchObject({ status: 401 })
    await owner.put(`/projects/${id}`, { lfs_enabled: false })
    const off = { status: 403, body: { message: 'Git LFS is switched off in this project.' } }
    expect(await locks(fullPath, '', { token })).toMatchObject(off)
    expect(await locks(fullPath, '', { token, body: { path: 'b' } })).toMatchObject(off)
    expect(await locks(fullPath, '/verify', { token, body: {} })).toMatchObject(off)
  })
})

describe('listing locks', () => {
  it('shows all who may read the code the locks, page by page', async () => {
    const p = await w.project({ visibility: 'public' })
    const paths = ['c', 'a', 'b']
    for (const path of paths) await lock(p.fullPath, p.developer, path)
    const pathsIn = ({ body }: Awaited<ReturnType<typeof locks>>) =>
      body.locks.map((one: { path: string }) => one.path)
    const all = await locks(p.fullPath, '?path=&id=&cursor=&limit=&refspec=')
    expect([all.status, pathsIn(all), all.body.next_cursor]).toEqual([200, paths, undefined])
    const first = await locks(p.fullPath, '?limit=2', p.guest)
    expect(pathsIn(first)).toEqual(['c', 'a'])
    const second = await locks(p.fullPath, `?limit=2&cursor=${first.body.next_cursor}&refspec=refs/heads/x`)
    expect([pathsIn(second), second.body.next_cursor]).toEqual([['b'], undefined])
    expect(pathsIn(await locks(p.fullPath, '?path=a'))).toEqual(['a'])
    expect(pathsIn(await locks(p.fullPath, `?id=${all.body.locks[2].id}`))).toEqual(['b'])
    expect(pathsIn(await locks(p.fullPath, `?id=${all.body.locks[2].id}&path=a`))).toEqual([])
    for (const rest of ['?path=none', '?id=x', '?id=99999999999999999999'])
      expect(await locks(p.fullPath, rest)).toMatchObject({ status: 200, body: { locks: [] } })
    for (const limit of ['-1', '0', 'x', '1e9', '2.5'])
      expect(await locks(p.fullPath, `?limit=${limit}`)).toMatchObject({ status: 200 })
    expect(await locks(p.fullPath, '?cursor=x')).toMatchObject({ status: 422 })
    const hidden = await w.project()
    expect(await locks(hidden.fullPath, '', hidden.stranger)).toMatchObject({ status: 404 })
    expect(await locks(hidden.fullPath, '', hidden.guest)).toMatchObject({ status: 403 })
  })

  it('has at most 100 locks on a page', async () => {
    const { id, fullPath, developer } = await w.project()
    const row = { project_id: id, user_id: developer.id, created_at: w.clock.now().toISOString() }
    await w.db
      .insertInto('lfs_locks')
      .values(Array.from({ length: 101 }, (_, at) => ({ ...row, path: `${at}` })))
      .execute()
    const { token } = developer
    const page = await locks(fullPath, '?limit=1000', { token })
    expect(page.body.locks).toHaveLength(100)
    const rest = await locks(fullPath, '/verify', {
      token,
      body: { cursor: page.body.next_cursor, limit: 1e9 },
    })
    expect([rest.body.ours.length, rest.body.theirs, rest.body.next_cursor]).toEqual([1, [], undefined])
  })

  it('tells whoever is about to push what is theirs', async () => {
    const { fullPath, developer, maintainer, reporter } = await w.project()
    await lock(fullPath, developer, 'a')
    await lock(fullPath, maintainer, 'b')
    const verify = (token: string, body = {}) => locks(fullPath, '/verify', { token, body })
    expect(await verify(developer.token)).toMatchObject({
      status: 200,
      body: { ours: [{ path: 'a' }], theirs: [{ path: 'b', owner: { name: maintainer.username } }] },
    })
    const page = await verify(maintainer.token, { limit: 1, cursor: null, ref: { name: 'refs/heads/main' } })
    expect(page).toMatchObject({ body: { ours: [], theirs: [{ path: 'a' }], next_cursor: /\d+/ } })
    expect(await verify(maintainer.token, { cursor: page.body.next_cursor })).toMatchObject({
      body: { ours: [{ path: 'b' }], theirs: [] },
    })
    expect(await verify(developer.token, { cursor: '-1' })).toMatchObject({ status: 422 })
    expect(await verify(reporter.token)).toMatchObject({ status: 403 })
  })
})

describe('unlocking files', () => {
  it('lets people unlock their own files, and maintainers those of others', async () => {
    const { fullPath, developer, maintainer, reporter, owner } = await w.project()
    const unlock = (id: string, { token }: { token: string }, body = {}) =>
      locks(fullPath, `/${id}/unlock`, { token, body })
    const own = await lock(fullPath, developer, 'a')
    expect(await unlock(own, developer)).toMatchObject({
      status: 200,
      body: { lock: { id: own, path: 'a' } },
    })
    expect(await unlock(own, developer)).toMatchObject({ status: 404, body: { message: 'Lock not found' } })
    const theirs = await lock(fullPath, maintainer, 'a')
    expect(await unlock(theirs, developer)).toMatchObject({
      status: 403,
      body: { message: `'a' is locked by @${maintainer.username}` },
    })
    expect(await unlock(theirs, developer, { force: true })).toMatchObject({
      status: 403,
      body: { message: 'You must have maintainer access to force delete a lock' },
    })
    expect(await unlock(theirs, owner)).toMatchObject({ status: 403 })
    expect(await unlock(theirs, reporter, { force: true })).toMatchObject({ status: 403 })
    expect(await unlock(theirs, owner, { force: 'yes' })).toMatchObject({ status: 422 })
    expect(await unlock(theirs, owner, { force: true, ref: null })).toMatchObject({ status: 200 })
    for (const id of ['x', '0', '9007199254740991'])
      expect(await unlock(id, owner)).toMatchObject({ status: 404 })
    const elsewhere = await w.project()
    const foreign = await lock(elsewhere.fullPath, elsewhere.developer, 'a')
    expect(await unlock(foreign, owner, { force: true })).toMatchObject({ status: 404 })
  })

  it('ends with the person who locked the file', async () => {
    const p = await w.project()
    const leaver = await w.user()
    await p.owner.post(`/projects/${p.id}/members`, { user_id: leaver.id, access_level: 30 })
    await lock(p.fullPath, leaver, 'a')
    const { status } = await w.root.delete(`/users/${leaver.id}`)
    expect(status).toBe(204)
    await until(async () =>
      expect(await locks(p.fullPath, '', p.owner)).toMatchObject({ body: { locks: [] } }),
    )
  })
})
