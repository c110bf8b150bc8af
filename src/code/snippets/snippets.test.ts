import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { withSettings } from '#identity/users/test-support.ts'
import { create, factsOf, withSnippet } from './test-support.ts'

const notFound = { status: 404, body: { message: '404 Snippet Not Found' } }

describe('snippets of persons', () => {
  test('are created with several files and shown with all fields', async () => {
    const user = await w.user()
    const { status, body } = await user.post('/snippets', {
      title: 'Two files',
      description: 'For later',
      visibility: 'public',
      files: [
        { file_path: 'b/Ä.md', content: '# B' },
        { file_path: 'a.txt', content: 'A\n' },
      ],
    })
    const { id } = body
    const page = `${w.url}/-/snippets/${id}`
    expect([status, body]).toEqual([
      201,
      {
        id,
        title: 'Two files',
        description: 'For later',
        visibility: 'public',
        author: expect.objectContaining({ id: user.id, username: user.username }),
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.created_at,
        project_id: null,
        web_url: page,
        raw_url: `${page}/raw`,
        ssh_url_to_repo: null,
        http_url_to_repo: `${w.url}/snippets/${id}.git`,
        file_name: 'a.txt',
        files: [
          { path: 'a.txt', raw_url: `${page}/raw/main/a.txt` },
          { path: 'b/Ä.md', raw_url: `${page}/raw/main/b/%C3%84.md` },
        ],
        imported: false,
        imported_from: 'none',
      },
    ])
    expect((await user.get(`/snippets/${id}`)).body).toEqual(body)
    expect((await w.root.get(`/snippets/${id}`)).body).toEqual({ ...body, repository_storage: 'default' })
    expect(await user.get(`/snippets/${id}/raw`)).toMatchObject({ status: 200, text: 'A\n' })
    const file = `/snippets/${id}/files/main/b%2F%C3%84.md/raw`
    expect(await w.anonymous.get(file)).toMatchObject({ status: 200, text: '# B' })
    expect(await w.anonymous.get(`/snippets/${id}/files/HEAD/a.txt/raw`)).toMatchObject({ text: 'A\n' })
    for (const missing of ['files/main/c.txt/raw', 'files/other/a.txt/raw'])
      expect((await user.get(`/snippets/${id}/${missing}`)).status).toBe(404)
    expect(await factsOf(id)).toEqual([{ name: 'snippet created', actor_id: user.id, title: 'Two files' }])
  })

  test('the older form has one file; without a name and a visibility, it gets both', async () => {
    const user = await w.user()
    const { body } = await user.post('/snippets', { title: 'x', content: 'Text' })
    expect(body).toMatchObject({ file_name: 'snippetfile1.txt', visibility: 'internal' })
    expect(body.files).toHaveLength(1)
  })

  test('400 for both forms, for none, and for impossible files', async () => {
    const user = await w.user()
    const files = (...paths: string[]) => ({
      files: paths.map((file_path) => ({ file_path, content: 'x' })),
    })
    for (const wrong of [
      {},
      { title: '', content: 'x' },
      { ...files('a'), content: 'x' },
      { ...files('a'), file_name: 'x' },
      { file_name: 'x' },
      files(),
      files('a', 'a'),
      files('a', '/a'),
      files('a', 'a/b'),
      files('../a'),
      files('.git/config'),
      files('..\\a'),
      files('cod\u202efdp.exe'),
      files(...Array.from({ length: 11 }, (_, index) => `${index}`)),
      { files: [{ file_path: 'a' }] },
      { content: 'x', visibility: 'secret' },
    ]) {
      const { status } = await user.post('/snippets', { title: 'x', ...wrong })
      expect([wrong, status]).toEqual([wrong, 400])
    }
    expect((await user.get('/snippets')).body).toEqual([])
  })

  test('external users, and bots of projects, have none', async () => {
    const external = await w.user({ external: true })
    const p = await w.project()
    const made = await p.owner.post(`/projects/${p.id}/access_tokens`, {
      name: 'bot',
      scopes: ['api'],
      access_level: 30,
      expires_at: daysAfter(dayOf(w.clock.now()), 7),
    })
    const bot = w.anonymous.with({ 'private-token': made.body.token })
    for (const by of [external, bot])
      expect((await by.post('/snippets', { title: 'x', content: 'x' })).status).toBe(403)
    expect((await create(bot, `/projects/${p.id}/snippets`)).project_id).toBe(p.id)
  })

  test('only the author and administrators change and delete one', async () => {
    const [author, other] = [await w.user(), await w.user()]
    const { path, id } = await create(author, '/snippets', { visibility: 'public' })
    for (const by of [other, w.anonymous]) {
      const status = by === other ? 403 : 401
      expect((await by.put(path, { title: 'y' })).status).toBe(status)
      expect((await by.delete(path)).status).toBe(status)
    }
    expect(
      (await author.put(path, { title: 'y', visibility: 'private', description: 'D' })).body,
    ).toMatchObject({ title: 'y', visibility: 'private', description: 'D' })
    expect(await other.put(path, { title: 'z' })).toMatchObject(notFound)
    expect(await w.anonymous.get(path)).toMatchObject(notFound)
    expect((await w.root.put(path, { description: null })).body).toMatchObject({ description: null })
    expect((await author.put(path, {})).status).toBe(400)
    expect((await author.delete(path)).status).toBe(204)
    for (const by of [author, w.root]) expect(await by.get(path)).toMatchObject(notFound)
    expect((await factsOf(id)).map(({ name, fields }) => [name, fields])).toEqual([
      ['snippet created', undefined],
      ['snippet changed', ['title', 'description', 'visibility']],
      ['snippet changed', ['description']],
      ['snippet deleted', undefined],
    ])
  })

  test('who created one, for administrators alone', async () => {
    const author = await w.user()
    const { path } = await create(author.with({ 'user-agent': 'tester' }), '/snippets')
    expect((await author.get(`${path}/user_agent_detail`)).status).toBe(403)
    expect((await w.root.get(`${path}/user_agent_detail`)).body).toEqual({
      user_agent: 'tester',
      ip_address: '127.0.0.1',
      akismet_submitted: false,
    })
  })
})

describe('changes of files', () => {
  const some = ['a', 'b'].map((file_path) => ({ file_path, content: file_path }))

  test('create, update, move and delete, in one commit', async () => {
    const user = await w.user()
    const { path, id } = await create(user, '/snippets', {
      file_name: undefined,
      content: undefined,
      files: some,
    })
    const { status, body } = await user.put(path, {
      files: [
        { action: 'create', file_path: 'c', content: 'C' },
        { action: 'update', file_path: 'a', content: 'A' },
        { action: 'move', previous_path: 'b', file_path: 'd' },
      ],
    })
    expect([status, body.files.map((file: { path: string }) => file.path)]).toEqual([200, ['a', 'c', 'd']])
    const raw = async (file: string) => (await user.get(`${path}/files/main/${file}/raw`)).text
    expect([await raw('a'), await raw('c'), await raw('d')]).toEqual(['A', 'C', 'b'])
    expect((await user.put(path, { files: [{ action: 'delete', file_path: 'a' }] })).body.file_name).toBe('c')
    expect(await factsOf(id)).toMatchObject([
      { name: 'snippet created' },
      { name: 'snippet files changed', actor_id: user.id, paths: ['a', 'c', 'd'] },
      { name: 'snippet files changed', paths: ['c', 'd'] },
    ])
  })

  test('the older form renames and rewrites the only file', async () => {
    const user = await w.user()
    const { path } = await create(user, '/snippets')
    expect((await user.put(path, { file_name: 'b.txt' })).body.file_name).toBe('b.txt')
    expect((await user.get(`${path}/raw`)).text).toBe('Text')
    expect((await user.put(path, { content: 'Other' })).status).toBe(200)
    expect((await user.get(`${path}/raw`)).text).toBe('Other')
    expect((await user.put(path, { file_name: 'c.txt', content: 'New', title: 'y' })).body).toMatchObject({
      file_name: 'c.txt',
      title: 'y',
    })
  })

  test('400 for impossible ones, which change nothing', async () => {
    const user = await w.user()
    const { path } = await create(user, '/snippets', {
      file_name: undefined,
      content: undefined,
      files: some,
    })
    const create10 = Array.from({ length: 10 }, (_, i) => ({
      action: 'create',
      file_path: `n${i}`,
      content: '',
    }))
    for (const wrong of [
      { content: 'x' },
      { files: [{ action: 'create', file_path: 'a', content: 'x' }] },
      { files: [{ action: 'update', file_path: 'z', content: 'x' }] },
      { files: [{ action: 'delete', file_path: 'z' }] },
      { files: [{ action: 'move', file_path: 'z' }] },
      { files: [{ action: 'chmod', file_path: 'a' }] },
      { files: [{ action: 'create', file_path: 'q' }] },
      { files: ['a', 'b'].map((file_path) => ({ action: 'delete', file_path })) },
      { files: create10 },
      { files: [{ action: 'delete', file_path: 'a' }], content: 'x' },
    ]) {
      const { status } = await user.put(path, { title: 'changed', ...wrong })
      expect([wrong, status]).toEqual([wrong, 400])
    }
    expect((await user.get(path)).body).toMatchObject({
      title: 'A title',
      files: [{ path: 'a' }, { path: 'b' }],
    })
  })

  test('no more bytes than snippet_size_limit', async () => {
    const user = await w.user()
    await withSettings({ snippet_size_limit: 10 }, async () => {
      const { path } = await create(user, '/snippets', { content: '0123456789' })
      const large = await user.post('/snippets', { title: 'x', content: '0123456789a' })
      expect([large.status, large.body.message]).toEqual([
        400,
        expect.stringContaining('may have at most 10'),
      ])
      expect((await user.put(path, { content: '0123456789a' })).status).toBe(400)
      expect((await user.put(path, { content: '9876543210' })).status).toBe(200)
    })
  })
})

describe('visibilities that administrators have restricted', () => {
  test('are for administrators alone', async () => {
    const user = await w.user()
    await withSettings({ restricted_visibility_levels: ['internal'] }, async () => {
      expect((await user.post('/snippets', { title: 'x', content: 'x' })).status).toBe(400)
      const { path } = await create(user, '/snippets')
      expect((await user.put(path, { visibility: 'internal' })).status).toBe(400)
      expect((await w.root.put(path, { visibility: 'internal' })).status).toBe(200)
      // What is so already may stay.
      expect((await user.put(path, { visibility: 'internal', title: 'y' })).status).toBe(200)
    })
  })
})

describe('snippets of projects', () => {
  test('have the project in their URLs, and need a visibility', async () => {
    const { p, at, snippet, path } = await withSnippet()
    expect(snippet).toMatchObject({
      project_id: p.id,
      web_url: `${w.url}/${p.fullPath}/-/snippets/${snippet.id}`,
      http_url_to_repo: `${w.url}/${p.fullPath}/snippets/${snippet.id}.git`,
      ssh_url_to_repo: null,
    })
    expect((await p.developer.post(`${at}/snippets`, { title: 'x', content: 'x' })).status).toBe(400)
    expect(await p.guest.get(`${path}/raw`)).toMatchObject({ status: 200, text: 'Text' })
    expect(await p.guest.get(`${path}/files/main/a.txt/raw`)).toMatchObject({ status: 200, text: 'Text' })
    expect((await p.guest.get(`/snippets/${snippet.id}`)).status).toBe(404)
    const other = await w.project()
    expect(await w.root.get(`/projects/${other.id}/snippets/${snippet.id}`)).toMatchObject(notFound)
    const own = await create(p.developer, '/snippets')
    expect(await p.developer.get(`${at}/snippets/${own.id}`)).toMatchObject(notFound)
  })

  test('Developers change their own, Maintainers all', async () => {
    const { p, at, path } = await withSnippet('public')
    const other = await w.user()
    await w.member(p.namespaceId, other, 30)
    for (const by of [p.guest, p.reporter, other]) {
      expect((await by.put(path, { title: 'y' })).status).toBe(403)
      expect((await by.put(path, { content: 'y' })).status).toBe(403)
      expect((await by.delete(path)).status).toBe(403)
    }
    expect(
      (await p.reporter.post(`${at}/snippets`, { title: 'x', content: 'x', visibility: 'private' })).status,
    ).toBe(403)
    for (const by of [p.developer, p.maintainer])
      expect((await by.put(path, { content: by.username })).status).toBe(200)
    expect((await p.maintainer.delete(path)).status).toBe(204)
    expect((await p.maintainer.get(`${at}/snippets`)).body).toEqual([])
  })

  test('412 when somebody has changed it since, also for its files', async () => {
    const { p, path } = await withSnippet()
    const late = p.developer.with({ 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })
    for (const change of [{ title: 'y' }, { content: 'y' }])
      expect((await late.put(path, change)).status).toBe(412)
    expect((await late.delete(path)).status).toBe(412)
    expect((await p.developer.get(`${path}/raw`)).text).toBe('Text')
  })

  test('two changes at once of different files both count', async () => {
    const { p, path } = await withSnippet()
    const changes = Array.from({ length: 4 }, (_, index) =>
      p.developer.put(path, { files: [{ action: 'create', file_path: `f${index}`, content: 'x' }] }),
    )
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await p.developer.get(path)).body.files).toHaveLength(5)
  })
})

describe('lists', () => {
  test('newest first, of a project, with pages', async () => {
    const p = await w.project({ visibility: 'public' })
    const at = `/projects/${p.id}/snippets`
    const ids: number[] = []
    for (const visibility of ['private', 'internal', 'public']) {
      const { id } = await create(p.developer, at, { visibility, description: 'x'.repeat(20_000) })
      ids.unshift(id)
    }
    const listed = async (by: typeof p.anonymous, query = '') =>
      (await by.get(at + query)).body.map(({ id }: { id: number }) => id)
    const [open, internal] = ids
    expect(await listed(p.guest)).toEqual(ids)
    expect(await listed(p.stranger)).toEqual([open, internal])
    expect(await listed(p.anonymous)).toEqual([open])
    const second = await p.guest.get(`${at}?per_page=2&page=2`)
    expect([second.headers.get('x-total'), second.body]).toMatchObject(['3', [{ id: ids[2] }]])
    expect((await p.guest.get(at)).body[0].description).toHaveLength(20_000)
  })

  test('/snippets has your own, /snippets/public and /snippets/all what everybody may see', async () => {
    const [author, other, external] = [await w.user(), await w.user(), await w.user({ external: true })]
    const after = new Date(Date.now() - 1000).toISOString()
    const made: Record<string, number> = {}
    for (const visibility of ['private', 'internal', 'public'] as const)
      made[visibility] = (await create(author, '/snippets', { visibility })).id
    const { p, snippet } = await withSnippet('public', { visibility: 'private' })
    const named = new Map([
      ...Object.entries(made).map(([name, id]) => [id, name] as const),
      [snippet.id, 'project'],
    ])
    const list = async (by: typeof w.anonymous, path: string) => {
      const { body } = await by.get(`${path}?per_page=100&created_after=${after}`)
      return body.flatMap(({ id }: { id: number }) => named.get(id) ?? [])
    }
    expect(await list(author, '/snippets')).toEqual(['public', 'internal', 'private'])
    expect(await list(other, '/snippets')).toEqual([])
    for (const by of [author, other, external, w.anonymous])
      expect(await list(by, '/snippets/public')).toEqual(['public'])
    expect(await list(author, '/snippets/all')).toEqual(['public', 'internal', 'private'])
    expect(await list(other, '/snippets/all')).toEqual(['public', 'internal'])
    expect(await list(external, '/snippets/all')).toEqual(['public'])
    expect(await list(p.guest, '/snippets/all')).toEqual(['project', 'public', 'internal'])
    expect(await list(w.root, '/snippets/all')).toEqual(['project', 'public', 'internal', 'private'])
    expect((await w.anonymous.get('/snippets/all')).status).toBe(401)
    expect((await w.anonymous.get('/snippets')).status).toBe(401)
    const before = await author.get(`/snippets?created_before=2001-01-01T00:00:00Z`)
    expect(before.body).toEqual([])
    expect((await other.get('/snippets/all?repository_storage=default')).status).toBe(403)
    expect((await w.root.get(`/snippets/all?repository_storage=${unique('none')}`)).body).toEqual([])
    const one = await p.guest.get(`/snippets/all?per_page=1&created_after=${after}&page=2`)
    expect(Number(one.headers.get('x-total'))).toBeGreaterThanOrEqual(3)
    expect(one.body).toHaveLength(1)
  })
})
