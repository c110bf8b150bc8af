import { describe, expect, onTestFinished, test } from 'vitest'
import { cloneOf, fresh, git, withGit } from '#code/git-http/test-support.ts'
import { isFolder } from '#code/repositories/make-repository.ts'
import { tidyRepositories } from '#code/repositories/remove.ts'
import { removeSubtree } from '#identity/namespaces/remove-subtree.ts'
import { removeUser } from '#identity/users/remove-user.ts'
import { withSettings } from '#identity/users/test-support.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { LeaseHeld } from '#platform/jobs/lease.ts'
import { quiet } from '#test/job-worker.ts'
import { repositoryFaults } from '#test/repositories.ts'
import { until } from '#test/until.ts'
import { type Actor, openWorld, w } from '#test/world.ts'
import { create, factsOf, withSnippet } from './test-support.ts'

withGit()

/** The URL of a snippet for somebody's git. */
const urlFor = (token: string | undefined, { http_url_to_repo: url }: { http_url_to_repo: string }): string =>
  token === undefined ? url : url.replace('://', `://oauth2:${token}@`)

const reads = async (token: string | undefined, snippet: { http_url_to_repo: string }) =>
  (await git().try(['ls-remote', urlFor(token, snippet)])).code === 0

/** Pushes a further file. */
async function pushes(token: string, snippet: { http_url_to_repo: string }, from: Actor) {
  const work = await cloneOf(urlFor(from.token, snippet))
  await work.commit({ [fresh()]: 'x' })
  return work.try('push', urlFor(token, snippet), 'HEAD:main')
}

describe('the repository of a snippet', () => {
  test('of a person is cloned, fetched and pushed to', async () => {
    const user = await w.user()
    const snippet = await create(user, '/snippets')
    const work = await cloneOf(urlFor(user.token, snippet))
    expect(await work.run('show', 'HEAD:a.txt')).toBe('Text')
    await work.commit({ 'b/c.md': '# C', 'a.txt': 'Other' })
    await work.run('push', '--quiet', 'origin', 'main')
    const { body } = await user.get(snippet.path)
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(['a.txt', 'b/c.md'])
    expect((await user.get(`${snippet.path}/raw`)).text).toBe('Other')
    expect((await factsOf(snippet.id)).at(-1)).toMatchObject({
      name: 'snippet files changed',
      actor_id: user.id,
      paths: ['a.txt', 'b/c.md'],
    })
    await user.put(snippet.path, { files: [{ action: 'delete', file_path: 'a.txt' }] })
    await work.run('pull', '--quiet', 'origin', 'main')
    expect(await work.run('ls-files')).toBe('b/c.md\n')
    expect((await work.run('log', '-1', '--format=%an')).trim()).toBe(user.username)
  })

  test('of a person is read by those whom its visibility lets in, and pushed to by its author', async () => {
    const [author, other, external] = [await w.user(), await w.user(), await w.user({ external: true })]
    const expected = { private: [], internal: ['other'], public: ['other', 'external', 'nobody'] }
    for (const [visibility, readers] of Object.entries(expected)) {
      const snippet = await create(author, '/snippets', { visibility })
      const tokens = { other: other.token, external: external.token, nobody: undefined }
      const found = []
      for (const [who, token] of Object.entries(tokens)) if (await reads(token, snippet)) found.push(who)
      expect([visibility, found]).toEqual([visibility, readers])
      expect(await reads(author.token, snippet)).toBe(true)
      expect((await pushes(other.token, snippet, author)).code).not.toBe(0)
      expect((await pushes(w.root.token, snippet, author)).code).toBe(0)
    }
    const snippet = await create(author, '/snippets', { visibility: 'public' })
    expect((await pushes(other.token, snippet, author)).err).toContain(
      'You are not allowed to change this snippet',
    )
    const hidden = await create(author, '/snippets')
    for (const [scope, may] of [
      ['read_repository', [true, false]],
      ['write_repository', [true, true]],
      ['read_api', [false, false]],
    ] as const) {
      const { secret } = await w.token(author, [scope])
      const pushed = await pushes(secret, hidden, author)
      expect([scope, await reads(secret, hidden), pushed.code === 0]).toEqual([scope, ...may])
    }
  })

  test('of a project is for those who may read and change the snippet', async () => {
    const { p, at, snippet } = await withSnippet('private', { visibility: 'public' })
    const other = await w.user()
    await w.member(p.namespaceId, other, 30)
    const may = async (by: Actor) => (await pushes(by.token, snippet, p.developer)).code === 0
    expect([await reads(undefined, snippet), await reads(p.stranger.token, snippet)]).toEqual([false, false])
    expect([await reads(p.guest.token, snippet), await reads(p.admin.token, snippet)]).toEqual([true, true])
    expect([await may(p.reporter), await may(other)]).toEqual([false, false])
    expect([await may(p.developer), await may(p.maintainer)]).toEqual([true, true])
    const personal = { http_url_to_repo: `${w.url}/snippets/${snippet.id}.git` }
    expect(await reads(p.developer.token, personal)).toBe(false)
    await p.owner.put(at, { snippets_access_level: 'disabled' })
    expect(await reads(p.owner.token, snippet)).toBe(false)
    await p.owner.put(at, { snippets_access_level: 'enabled' })
    await p.owner.post(`${at}/archive`)
    expect((await pushes(p.developer.token, snippet, p.developer)).err).toContain('is archived')
  })

  test('of a project is found after a rename', async () => {
    const { p, at, snippet } = await withSnippet()
    await p.owner.put(at, { path: `renamed-${p.id}` })
    expect(await reads(p.guest.token, snippet)).toBe(true)
  })

  test('takes pushes to its one branch alone, of 1 to 10 files', async () => {
    const user = await w.user()
    const snippet = await create(user, '/snippets')
    const work = await cloneOf(urlFor(user.token, snippet))
    const push = async (...refs: string[]) => (await work.try('push', 'origin', ...refs)).err
    expect(await push('HEAD:refs/heads/other')).toContain('no branches besides its default branch')
    expect(await push('HEAD:refs/tags/v1')).toContain('no tags')
    expect(await push(':main')).toContain('cannot be deleted')
    await work.commit(Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}.txt`, 'x'])))
    expect(await push('HEAD:main')).toContain('may have at most 10 files')
    await work.run('reset', '--quiet', '--hard', 'origin/main')
    await work.run('rm', '--quiet', 'a.txt')
    await work.run('commit', '--quiet', '--message', 'nothing left')
    expect(await push('HEAD:main')).toContain('must have a file')
    await work.run('reset', '--quiet', '--hard', 'origin/main')
    await withSettings({ snippet_size_limit: 100 }, async () => {
      await work.commit({ 'b.txt': 'x'.repeat(100) })
      expect(await push('HEAD:main')).toContain('may have at most 100')
    })
    expect((await user.get(snippet.path)).body.files).toHaveLength(1)
    expect((await work.try('push', 'origin', 'HEAD:main')).code).toBe(0)
  })

  test('is known to forgelet check repositories', async () => {
    const own = await openWorld()
    onTestFinished(() => own.running.stop())
    const { id } = await create(await own.user(), '/snippets')
    const found = await own.running.services.repositories.find({ kind: 'snippet', snippet: id })
    if (found === undefined) throw new Error('there is no repository')
    await own.db.updateTable('repositories').set({ commit_count: 7 }).where('id', '=', found.id).execute()
    expect(await repositoryFaults(own, true)).toEqual([
      {
        repository: expect.any(String),
        owner: `snippet ${id}`,
        problem: 'its row is out of date: commit_count',
        repaired: true,
      },
    ])
  })
})

const job = () =>
  jobContext({ ...w.running.services, log: quiet }, { attempt: 1, signal: new AbortController().signal })

/** Runs a job, once the server's own worker has done what it may be doing of the same. */
async function run(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof LeaseHeld)) throw error
    }
  }
}

describe('what is left of a snippet', () => {
  /** Where its repository is. */
  async function folderOf(snippet: { readonly id: number }): Promise<string> {
    const found = await w.running.services.repositories.find({ kind: 'snippet', snippet: snippet.id })
    if (found === undefined) throw new Error('there is no repository')
    return found.folder
  }

  async function expectGone(id: number, folder: string): Promise<void> {
    // The server's own worker may be about to do the same.
    await until(async () => {
      const noteables = await w.db.selectFrom('noteables').select('id').where('id', '=', id).execute()
      expect(noteables).toEqual([])
      await run(() => tidyRepositories.execute({}, job()))
      expect(await isFolder(folder)).toBe(false)
    })
  }

  test('goes by jobs: after its deletion, and with its project', async () => {
    const { p, at, snippet, path } = await withSnippet()
    const second = await create(p.developer, `${at}/snippets`)
    const folders = [await folderOf(snippet), await folderOf(second)] as const
    await p.guest.post(`${path}/notes`, { body: 'Well said' })
    await run(() => tidyRepositories.execute({}, job()))
    expect(await isFolder(folders[0])).toBe(true)
    await p.developer.delete(path)
    const left = await w.db
      .selectFrom('noteables')
      .select('namespace_id')
      .where('id', '=', snippet.id)
      .executeTakeFirst()
    if (left !== undefined) await run(() => removeSubtree.execute({ namespace_id: left.namespace_id }, job()))
    await expectGone(snippet.id, folders[0])
    expect(await isFolder(folders[1])).toBe(true)
    await p.owner.delete(at)
    await w.db
      .updateTable('namespaces')
      .set({ deleted_at: new Date().toISOString() })
      .where('id', '=', p.namespaceId)
      .execute()
    await run(() => removeSubtree.execute({ namespace_id: p.namespaceId }, job()))
    await expectGone(second.id, folders[1])
  })

  test("goes with its author, or becomes the ghost's in a project", async () => {
    for (const hard of [false, true]) {
      const { p, at } = await withSnippet()
      const author = await w.user()
      await w.member(p.namespaceId, author, 30)
      const inProject = await create(author, `${at}/snippets`)
      const personal = await create(author, '/snippets', { visibility: 'public' })
      const folders = [await folderOf(personal), await folderOf(inProject)] as const
      await w.root.delete(`/users/${author.id}?hard_delete=${hard}`)
      expect((await w.root.get(personal.path)).status).toBe(404)
      await run(() => removeUser.execute({ user_id: author.id, hard }, job()))
      await expectGone(personal.id, folders[0])
      const { status, body } = await p.guest.get(inProject.path)
      expect([status, body.author?.username]).toEqual(hard ? [404, undefined] : [200, 'ghost'])
      if (hard) await expectGone(inProject.id, folders[1])
    }
  })
})
