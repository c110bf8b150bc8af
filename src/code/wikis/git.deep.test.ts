import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cloneOf, fresh, git, withGit } from '#code/git-http/test-support.ts'
import type { Client } from '#test/client.ts'
import { repositoryFaults } from '#test/repositories.ts'
import { type Actor, openWorld, w } from '#test/world.ts'
import { containers, factsOf, gitUrl, on, placeWithWiki, write, type WithWiki } from './test-support.ts'

withGit()

const list = (url: string) => git().try(['ls-remote', url])

/** A clone of an empty wiki. */
const workOn = (p: WithWiki, by: Actor = p.developer) => cloneOf(gitUrl(by.token, p.fullPath))

/** The pages by their slugs, with their ids. */
async function idsOf(p: WithWiki, by: Client = p.guest): Promise<Record<string, number>> {
  const { body } = await on(by).get(p.wikis)
  return Object.fromEntries(
    body.map((page: { slug: string; wiki_page_meta_id: number }) => [page.slug, page.wiki_page_meta_id]),
  )
}

describe.each(containers)('the wiki of %s', (container) => {
  test('is cloned, fetched and pushed to', async () => {
    const p = await placeWithWiki(container)
    const work = await workOn(p)
    await work.commit({ 'home.md': 'Welcome', 'docs/a b.org': '* A', 'code.txt': 'x', '.hidden.md': 'x' })
    await work.run('push', '--quiet', 'origin', 'main')
    expect(Object.keys(await idsOf(p))).toEqual(['docs/a b', 'home'])
    expect((await on(p.guest).get(`${p.wikis}/docs%2Fa%20b`)).body).toMatchObject({
      title: 'a b',
      format: 'org',
      content: '* A',
    })
    await write(p, 'more')
    await work.run('pull', '--quiet', 'origin', 'main')
    expect(await work.run('show', 'HEAD:more.md')).toBe('About more')
    expect((await work.run('log', '-1', '--format=%an|%s')).trim()).toBe(
      `${p.developer.username}|${p.developer.username} created page: more`,
    )
  })

  test('is for those who may read and edit it', async () => {
    const p = await placeWithWiki(container)
    await write(p, 'home')
    const reads = async (by: Actor | undefined) => (await list(gitUrl(by?.token, p.fullPath))).code === 0
    const pushes = async (by: Actor) => {
      const work = await workOn(p, by)
      await work.commit({ [`${fresh()}.md`]: 'x' })
      return work.try('push', 'origin', 'main')
    }
    expect([await reads(undefined), await reads(p.stranger)]).toEqual([false, false])
    expect([await reads(p.guest), await reads(p.admin)]).toEqual([true, true])
    expect((await pushes(p.reporter)).err).toContain('You are not allowed to change the wiki of this')
    expect((await pushes(p.developer)).code).toBe(0)
    for (const [scope, may] of [
      ['read_repository', [true, false]],
      ['write_repository', [true, true]],
      ['read_api', [false, false]],
    ] as const) {
      const { secret } = await w.token(p.developer, [scope])
      const there = gitUrl(secret, p.fullPath)
      const pushed = await (await workOn(p)).try('push', there, `HEAD:refs/heads/${fresh()}`)
      expect([scope, (await list(there)).code === 0, pushed.code === 0]).toEqual([scope, ...may])
    }
    await on(p.owner).put(p.at, { wiki_access_level: 'disabled' })
    expect((await list(gitUrl(p.owner.token, p.fullPath))).err).toContain(
      'You are not allowed to read the wiki of this',
    )
    await on(p.owner).put(p.at, { wiki_access_level: 'enabled' })
    await on(p.owner).post(`${p.at}/archive`)
    expect((await pushes(p.developer)).err).toContain('is archived, so nobody can push to its wiki')
  })

  test('is found after a rename', async () => {
    const p = await placeWithWiki(container)
    await write(p, 'home')
    await on(p.owner).put(p.at, { path: `renamed-${p.id}` })
    const { code, err } = await list(gitUrl(p.guest.token, p.fullPath))
    expect([code, err]).toEqual([0, expect.stringContaining(`renamed-${p.id}.wiki.git`)])
    expect((await list(gitUrl(p.stranger.token, p.fullPath))).err).toContain('not found')
  })
})

test('what is not there looks like what is hidden', async () => {
  const p = await placeWithWiki('projects')
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`${w.url}/${path}.wiki.git/info/refs?service=git-upload-pack`, { headers })
    return [answer.status, await answer.text()]
  }
  const basic = Buffer.from(`x:${p.stranger.token}`).toString('base64')
  for (const headers of [{}, { authorization: `Basic ${basic}` }])
    expect(await ask(p.fullPath, headers)).toEqual(await ask('no/such', headers))
})

test('wikis of groups need a plan for git, too', async () => {
  const p = await placeWithWiki('groups', 'public')
  const { code, err } = await list(`${w.url}/${p.fullPath}.wiki.git`)
  expect([code, err]).toEqual([128, expect.stringContaining('Group wikis needs premium')])
})

test('deploy tokens with read_repository clone the wiki of their project, and push nothing', async () => {
  const p = await placeWithWiki('projects')
  await write(p, 'home')
  const { body } = await p.maintainer.post(`${p.at}/deploy_tokens`, {
    name: 'x',
    scopes: ['read_repository'],
  })
  const url = `${w.url.replace('://', `://${body.username}:${body.token}@`)}/${p.fullPath}.wiki.git`
  expect((await list(url)).out).toContain('refs/heads/main')
  const { status } = await pushing(url)
  expect(status).toBe(403)
  const other = await placeWithWiki('projects')
  await write(other, 'home')
  expect((await list(url.replace(p.fullPath, other.fullPath))).err).toContain('not found')
  await w.root.put(`/projects/${p.id}`, { wiki_access_level: 'disabled' })
  expect((await list(url)).err).toContain('not found')
})

/** What a server says to somebody who wants to push. */
const pushing = (url: string) => {
  const { username, password, origin, pathname } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return fetch(`${origin}${pathname}/info/refs?service=git-receive-pack`, { headers: { authorization } })
}

test('no project or group can take the path of a wiki', async () => {
  const user = await w.user()
  const project = await user.post('/projects', { name: 'a', path: 'a.wiki' })
  expect([project.status, JSON.stringify(project.body.message)]).toEqual([
    400,
    expect.stringContaining("cannot end in '.wiki'"),
  ])
  const group = await user.post('/groups', { name: 'a', path: 'a.wiki' })
  expect(group.status).toBe(400)
})

describe('a push', () => {
  test('keeps the ids of pages that it moves unchanged, and brings deleted ones back', async () => {
    const p = await placeWithWiki('projects')
    const work = await workOn(p)
    await work.commit({ 'a.md': 'one', 'b.md': 'two', 'c.md': 'three' })
    await work.run('push', '--quiet', 'origin', 'main')
    const before = await idsOf(p)
    await mkdir(join(work.folder, 'docs'))
    await rename(join(work.folder, 'a.md'), join(work.folder, 'docs/a.md'))
    await rm(join(work.folder, 'b.md'))
    await rename(join(work.folder, 'c.md'), join(work.folder, 'c.org'))
    await work.run('add', '--all')
    await work.run('commit', '--quiet', '-m', 'Move')
    await work.run('push', '--quiet', 'origin', 'main')
    const after = await idsOf(p)
    expect(after).toEqual({ c: before['c'], 'docs/a': before['a'] })
    expect((await factsOf(p)).slice(3)).toMatchObject([
      { name: 'wiki page updated', slug: 'c' },
      { name: 'wiki page updated', slug: 'docs/a', target_id: before['a'] },
      { name: 'wiki page deleted', slug: 'b', target_id: before['b'] },
    ])
    await work.run('push', '--quiet', '--force', 'origin', 'HEAD~1:main')
    expect(await idsOf(p)).toEqual(before)
  })

  test('keeps the ids of many pages that it moves at once', async () => {
    const p = await placeWithWiki('projects')
    const work = await workOn(p)
    const names = Array.from({ length: 30 }, (_, index) => `page-${index}`)
    await work.commit(Object.fromEntries(names.map((name) => [`${name}.md`, name])))
    await work.run('push', '--quiet', 'origin', 'main')
    const before = await idsOf(p)
    await mkdir(join(work.folder, 'all'))
    for (const name of names)
      await rename(join(work.folder, `${name}.md`), join(work.folder, `all/${name}.md`))
    await work.run('add', '--all')
    await work.run('commit', '--quiet', '-m', 'Move')
    await work.run('push', '--quiet', 'origin', 'main')
    const moved = Object.entries(before).map(([slug, id]) => [`all/${slug}`, id])
    expect(await idsOf(p)).toEqual(Object.fromEntries(moved))
  })

  test('to another branch changes no page', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    const work = await workOn(p)
    await work.commit({ 'draft.md': 'x' })
    await work.run('push', '--quiet', 'origin', 'main:draft')
    expect(Object.keys(await idsOf(p))).toEqual(['home'])
    expect(await factsOf(p)).toHaveLength(1)
    const deleted = await work.try('push', 'origin', ':main')
    expect(deleted.err).toContain('the default branch of a project cannot be deleted')
  })

  test('that brings a page that is too large, or too many files, is refused', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    const work = await workOn(p)
    await work.commit({ 'large.md': 'x'.repeat(2_001) })
    const set = (bytes: number) => w.root.put('/application/settings', { wiki_page_max_content_bytes: bytes })
    await set(2_000)
    try {
      const { err } = await work.try('push', 'origin', 'main')
      expect(err).toContain('the page large has 2001 bytes, and a page may have at most 2000')
    } finally {
      await set(5 * 1024 * 1024)
    }
    expect((await work.try('push', 'origin', 'main')).code).toBe(0)
    // A folder of 256 entries, each of which is a folder of 256 files.
    const blob = (await work.run('rev-parse', 'HEAD:large.md')).trim()
    const tree = async (line: (name: string) => string) => {
      const names = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'))
      return (await git().run(['mktree'], { cwd: work.folder, input: names.map(line).join('') })).trim()
    }
    const files = await tree((name) => `100644 blob ${blob}\t${name}.md\n`)
    const folders = await tree((name) => `040000 tree ${files}\t${name}\n`)
    const commit = (await work.run('commit-tree', folders, '-p', 'HEAD', '-m', 'Many')).trim()
    const { err } = await work.try('push', 'origin', `${commit}:main`)
    expect(err).toContain('a wiki may have at most 50000 files')
  })

  test('whose process died is recorded with its pages', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    const { repositories } = w.running.services
    const repository = await repositories.ensure({ kind: 'wiki', project: p.id })
    const work = await workOn(p)
    const before = (await work.run('rev-parse', 'HEAD')).trim()
    const after = await work.commit({ 'new.md': 'x' })
    // What a process leaves that was killed between git and the database.
    await work.run('push', '--quiet', repository.folder, 'main')
    await w.db
      .insertInto('reference_changes')
      .values({
        repository_id: repository.id,
        holder: 1,
        changes: JSON.stringify([{ ref: 'refs/heads/main', before, after }]),
        cause: 'push',
        created_at: new Date().toISOString(),
      })
      .execute()
    await write(p, 'next')
    expect(Object.keys(await idsOf(p))).toEqual(['home', 'new', 'next'])
    expect(Object.values(await idsOf(p)).every(Number.isInteger)).toBe(true)
  })
})

test('of two files with one slug, one is the page', async () => {
  const p = await placeWithWiki('projects')
  const work = await workOn(p)
  await work.commit({ 'home.org': 'org', 'home.md': 'markdown', 'home.adoc': 'asciidoc' })
  await work.run('push', '--quiet', 'origin', 'main')
  expect((await p.guest.get(`${p.wikis}?with_content=true`)).body).toMatchObject([
    { slug: 'home', content: 'markdown' },
  ])
  const { home } = await idsOf(p)
  await p.developer.delete(`${p.wikis}/home`)
  expect((await p.guest.get(`${p.wikis}/home`)).body).toMatchObject({
    content: 'asciidoc',
    wiki_page_meta_id: home,
  })
})

test('the check of repositories knows wikis', async () => {
  const own = await openWorld()
  onTestFinished(() => own.running.stop())
  const { id, developer } = await own.project()
  expect((await developer.post(`/projects/${id}/wikis`, { title: 'home', content: 'x' })).status).toBe(201)
  const repository = await own.running.services.repositories.find({ kind: 'wiki', project: id })
  if (repository === undefined) throw new Error('there is no wiki')
  await rename(repository.folder, join(dirname(repository.folder), 'tmp-aside'))
  expect(await repositoryFaults(own)).toMatchObject([
    { owner: `wiki of project ${id}`, problem: expect.stringContaining('its folder is missing') },
  ])
})
