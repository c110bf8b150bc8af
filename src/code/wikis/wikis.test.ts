import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { containers, factsOf, on, placeWithWiki, write, type WithWiki } from './test-support.ts'

const basic = (slug: string, title: string) => ({
  format: 'markdown',
  slug,
  title,
  wiki_page_meta_id: expect.any(Number),
})

describe.each(containers)('the wiki of %s', (container) => {
  test('is empty at first, and then lists its pages', async () => {
    const p = await placeWithWiki(container)
    const guest = on(p.guest)
    expect((await guest.get(p.wikis)).body).toEqual([])
    expect(await guest.get(`${p.wikis}/home`)).toMatchObject({
      status: 404,
      body: { message: '404 Wiki Page Not Found' },
    })
    await write(p, 'home')
    await write(p, 'Docs/How to deploy')
    expect((await guest.get(p.wikis)).body).toEqual([
      basic('Docs/How-to-deploy', 'How to deploy'),
      basic('home', 'home'),
    ])
    const full = { content: 'About home', encoding: 'UTF-8', front_matter: {} }
    const { body } = await guest.get(`${p.wikis}?with_content=true`)
    expect(body[1]).toEqual({ ...basic('home', 'home'), ...full })
    expect((await guest.get(`${p.wikis}/home`)).body).toEqual({ ...basic('home', 'home'), ...full })
    for (const slug of ['Docs%2FHow-to-deploy', 'Docs%2fHow%20to%20deploy'])
      expect((await guest.get(`${p.wikis}/${slug}`)).body.title).toBe('How to deploy')
  })

  test('keeps the id of a page that moves', async () => {
    const p = await placeWithWiki(container)
    const developer = on(p.developer)
    const { wiki_page_meta_id: id } = await write(p, 'docs/old')
    const moved = await developer.put(`${p.wikis}/docs%2Fold`, { title: 'New one' })
    expect(moved).toMatchObject({
      status: 200,
      body: { slug: 'docs/New-one', title: 'New one', content: 'About docs/old', wiki_page_meta_id: id },
    })
    const both = await developer.put(`${p.wikis}/docs%2FNew-one`, { title: '/top', content: 'Nothing alike' })
    expect(both.body).toMatchObject({ slug: 'top', content: 'Nothing alike', wiki_page_meta_id: id })
    const format = await developer.put(`${p.wikis}/top`, { format: 'org' })
    expect(format.body).toMatchObject({ slug: 'top', format: 'org', wiki_page_meta_id: id })
    expect((await developer.get(`${p.wikis}/docs%2Fold`)).status).toBe(404)
    expect((await developer.get(p.wikis)).body).toHaveLength(1)
    expect(await factsOf(p)).toMatchObject([
      { name: 'wiki page created', action: 'created', slug: 'docs/old', title: 'old', target_id: id },
      { name: 'wiki page updated', slug: 'docs/New-one', actor_id: p.developer.id },
      { name: 'wiki page updated', slug: 'top' },
      { name: 'wiki page updated', slug: 'top', target_type: 'WikiPage::Meta', target_id: id },
    ])
  })

  test('tells the last change of a page, also of one that moved or is gone', async () => {
    const p = await placeWithWiki(container)
    const developer = on(p.developer)
    const changeOf = async (slug: string, version = '') =>
      (await on(p.guest).get(`${p.wikis}/${slug}/diff${version && `?version=${version}`}`)).body
    expect((await on(p.guest).get(`${p.wikis}/old/diff`)).status).toBe(404)
    await write(p, 'old', 'line\n')
    const first = await changeOf('old')
    expect(first).toMatchObject({
      message: `${p.developer.username} created page: old`,
      parent_id: null,
      author_name: expect.any(String),
      diffs: [{ new_file: true, new_path: 'old.md', diff: '@@ -0,0 +1 @@\n+line\n' }],
    })
    await write(p, 'other')
    expect(await changeOf('old')).toEqual(first)
    await developer.put(`${p.wikis}/old`, { title: 'new' })
    for (const slug of ['old', 'new'])
      expect(await changeOf(slug)).toMatchObject({
        diffs: [{ renamed_file: true, old_path: 'old.md', new_path: 'new.md', diff: '' }],
      })
    expect(await changeOf('old', first.commit_id)).toEqual(first)
    await developer.delete(`${p.wikis}/new`)
    expect(await changeOf('new')).toMatchObject({
      message: `${p.developer.username} deleted page: new`,
      diffs: [{ deleted_file: true, diff: '@@ -1 +0,0 @@\n-line\n' }],
    })
    for (const path of [
      'none/diff',
      'uploads%2Fx/diff',
      `old/diff?version=${'0'.repeat(40)}`,
      'none/diff?version=main',
    ])
      expect([path, (await developer.get(`${p.wikis}/${path}`)).status]).toEqual([path, 404])
  })

  test('is listed in parts for those who ask for one', async () => {
    const p = await placeWithWiki(container)
    const list = async (query: string) => {
      const { status, body, headers } = await on(p.guest).get(`${p.wikis}?${query}`)
      expect(status).toBe(200)
      return [body.map(({ slug }: { slug: string }) => slug), headers.get('x-next-page')]
    }
    expect(await list('page=1')).toEqual([[], null])
    for (const title of ['a', 'b/c', 'd']) await write(p, title)
    expect(await list('per_page=2')).toEqual([['a', 'b/c'], '2'])
    expect(await list('per_page=2&page=2')).toEqual([['d'], ''])
    expect(await list('per_page=2&page=3')).toEqual([[], ''])
    expect(await list('page=1&with_content=true')).toEqual([['a', 'b/c', 'd'], ''])
    expect(await list('')).toEqual([['a', 'b/c', 'd'], null])
    expect((await on(p.guest).get(`${p.wikis}?per_page=0`)).status).toBe(400)
  })

  test('loses a page that is deleted', async () => {
    const p = await placeWithWiki(container)
    const developer = on(p.developer)
    const { wiki_page_meta_id: id } = await write(p, 'gone')
    expect((await developer.delete(`${p.wikis}/gone`)).status).toBe(204)
    expect((await developer.delete(`${p.wikis}/gone`)).status).toBe(404)
    expect((await developer.put(`${p.wikis}/gone`, { content: '' })).status).toBe(404)
    expect((await developer.get(p.wikis)).body).toEqual([])
    expect((await factsOf(p)).at(-1)).toMatchObject({
      name: 'wiki page deleted',
      slug: 'gone',
      target_id: id,
    })
    // It may come back, and is the same page then.
    expect((await write(p, 'gone')).wiki_page_meta_id).toBe(id)
  })

  test('takes attachments', async () => {
    const p = await placeWithWiki(container)
    const developer = on(p.developer)
    const send = async (name: string, fields: Record<string, string> = {}) => {
      const form = new FormData()
      form.set('file', new Blob(['bytes']), name)
      for (const [key, value] of Object.entries(fields)) form.set(key, value)
      return developer.send('POST', `${p.wikis}/attachments`, { form })
    }
    const { status, body } = await send('my picture (1).png')
    const path = /^uploads\/[0-9a-f]{32}\/my_picture_1_.png$/
    expect([status, body]).toEqual([
      201,
      {
        file_name: 'my_picture_1_.png',
        file_path: expect.stringMatching(path),
        branch: 'main',
        link: { url: body.file_path, markdown: `![my_picture_1_](${body.file_path})` },
      },
    ])
    expect((await send('notes.md', { branch: 'drafts' })).body).toMatchObject({
      branch: 'drafts',
      link: { markdown: expect.stringMatching(/^\[notes\.md\]\(uploads\//) },
    })
    expect((await send('x', { branch: 'a..b' })).status).toBe(400)
    // Nor can git keep a branch below another one.
    expect((await send('x', { branch: 'drafts/more' })).body.message).toEqual({
      branch: [expect.stringMatching(/^cannot be where another branch/)],
    })
    // Attachments are no pages.
    expect((await developer.get(p.wikis)).body).toEqual([])
  })

  test('follows its level', async () => {
    const p = await placeWithWiki(container, 'public')
    await write(p, 'home')
    const level = (wiki_access_level: string) => on(p.owner).put(p.at, { wiki_access_level })
    const read = async () =>
      Promise.all(
        [p.anonymous, p.stranger, p.guest, p.admin].map(
          async (by) => (await on(by).get(`${p.wikis}/home`)).status,
        ),
      )
    expect(await read()).toEqual([200, 200, 200, 200])
    await level('private')
    expect(await read()).toEqual([401, 403, 200, 200])
    await level('disabled')
    expect(await read()).toEqual([401, 403, 403, 403])
    expect((await on(p.owner).post(p.wikis, { title: 'a', content: 'b' })).status).toBe(403)
  })
})

describe('formats', () => {
  test('are stored as they are', async () => {
    const p = await placeWithWiki('projects')
    for (const format of ['markdown', 'rdoc', 'asciidoc', 'org']) await expectStored(p, format)
  })

  async function expectStored(p: WithWiki, format: string): Promise<void> {
    const content = '= *Title* <b>& more</b>\r\n'
    const { body } = await p.developer.post(p.wikis, { title: format, content, format })
    expect(body).toMatchObject({ format, slug: format, content })
    const { body: html } = await p.guest.get(`${p.wikis}/${format}?render_html=true`)
    expect(html.content).toBe(
      format === 'markdown'
        ? '<p>= <em>Title</em> <b>&amp; more</b></p>\n'
        : '<pre>= *Title* &lt;b&gt;&amp; more&lt;/b&gt;\r\n</pre>',
    )
  }

  test('Markdown is safe as HTML', async () => {
    const p = await placeWithWiki('projects')
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '<a href="java&#x73;cript:alert(1)" onclick="x()">b</a>',
      '<iframe src="https://x.example"></iframe><svg onload=alert(1)><style>*{}</style>',
      '<a href="//x.example">c</a><form action="/x"><input name=q></form>',
      '![d](data:text/html;base64,PHNjcmlwdD4=)',
      '<p style="position:fixed" class="evil" id="x">e</p>',
      '```js" onload="alert(1)\nf\n```',
    ].join('\n\n')
    await p.developer.post(p.wikis, { title: 'hostile', content: hostile })
    const { content } = (await p.guest.get(`${p.wikis}/hostile?render_html=true`)).body
    expect(content).not.toMatch(
      /<(?:script|iframe|svg|style|form|input)|\son\w+=|href="j|href="\/\/|data:text\/html"|style=|evil/i,
    )
    expect(content).toContain('rel="nofollow noreferrer noopener"')
  })

  test('[[links]] lead to pages of the wiki', async () => {
    const p = await placeWithWiki('projects')
    const content = [
      '[[How to]], [[see|Guides/First steps#Begin]], [[out|https://x.example/a]]',
      '`[[code]]` [[a|javascript:alert(1)]] [[]] [[|x]] [a [b]](x)',
      '[[<b>|"onclick="x]]',
    ].join('\n\n')
    await p.developer.post(p.wikis, { title: 'links', content })
    const { body } = await p.guest.get(`${p.wikis}/links?render_html=true`)
    const wiki = `${w.url}/${p.fullPath}/-/wikis`
    const rel = 'rel="nofollow noreferrer noopener"'
    expect(body.content).toContain(`<a href="${wiki}/How-to" ${rel}>How to</a>, `)
    expect(body.content).toContain(`<a href="${wiki}/Guides/First-steps#Begin" ${rel}>see</a>, `)
    expect(body.content).toContain(`<a href="https://x.example/a" ${rel}>out</a>`)
    expect(body.content).toContain('<code>[[code]]</code> [[a|javascript:alert(1)]] [[]] [[|x]]')
    expect(body.content).toContain(`<a href="${wiki}/%22onclick%3D%22x" ${rel}>&lt;b&gt;</a>`)
  })

  test('count in the statistics of the project', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    const sizes = async () => (await p.reporter.get(`${p.at}?statistics=true`)).body.statistics
    await expect.poll(async () => (await sizes()).wiki_size).toBeGreaterThan(0)
    const { wiki_size, storage_size, repository_size } = await sizes()
    expect([storage_size, repository_size]).toEqual([wiki_size, 0])
  })

  test('long pages are not rendered', async () => {
    const p = await placeWithWiki('projects')
    await p.developer.post(p.wikis, { title: 'long', content: '*'.repeat(100_001) })
    const { content } = (await p.guest.get(`${p.wikis}/long?render_html=true`)).body
    expect(content).toBe(`<pre>${'*'.repeat(100_001)}</pre>`)
  })
})

describe('front matter', () => {
  test('is kept apart from the content', async () => {
    const p = await placeWithWiki('projects')
    const made = await p.developer.post(p.wikis, {
      title: 'a',
      content: 'Text',
      front_matter: { title: 'A: "longer" title' },
    })
    expect(made.body).toMatchObject({ content: 'Text', front_matter: { title: 'A: "longer" title' } })
    const changed = await p.developer.put(`${p.wikis}/a`, { content: 'Other text' })
    expect(changed.body).toMatchObject({
      content: 'Other text',
      front_matter: { title: 'A: "longer" title' },
    })
    const blank = await p.developer.put(`${p.wikis}/a`, { front_matter: { title: '' } })
    expect(blank.body).toMatchObject({ content: 'Other text', front_matter: {} })
    const own = await p.developer.put(`${p.wikis}/a`, { content: '---\ntitle: b\nlist: [1]\n---\nText\n' })
    expect(own.body).toMatchObject({ content: 'Text\n', front_matter: { title: 'b', list: [1] } })
  })

  const unreadable = [
    '---\n- a list\n---\n',
    '---\na: &x [1]\nb: *x\n---\n',
    `---\n${'['.repeat(4_000)}\n---\n`,
    '---\nno end',
    '--- \ntext: {\n---\n',
  ]
  test('that cannot be read is part of the content', async () => {
    const p = await placeWithWiki('projects')
    for (const [index, content] of unreadable.entries()) {
      const { status, body } = await p.developer.post(p.wikis, { title: `page ${index}`, content })
      expect([status, body.content, body.front_matter]).toEqual([201, content, {}])
    }
  })
})

describe('titles', () => {
  const accepted = [
    ['  Spaces   around  /  and between ', 'Spaces-around/and-between'],
    ['100% sure? #1', '100%-sure?-#1'],
    ['Ünïcode/日本語', 'Ünïcode/日本語'],
    ['notes.md', 'notes.md'],
    ['_sidebar', '_sidebar'],
    ['a\\b', 'a\\b'],
    ['x'.repeat(245), 'x'.repeat(245)],
  ] as const
  test('become slugs, which find the pages', async () => {
    const p = await placeWithWiki('projects')
    for (const [title, slug] of accepted) {
      const { status, body } = await p.developer.post(p.wikis, { title, content: '' })
      expect([status, body.slug]).toEqual([201, slug])
      const found = await p.guest.get(`${p.wikis}/${encodeURIComponent(slug)}`)
      expect(found.body).toMatchObject({ slug, content: '' })
    }
    const last = accepted.at(-1)?.[1] ?? ''
    expect((await p.developer.delete(`${p.wikis}/${last}`)).status).toBe(204)
  })

  const refused = [
    '..',
    'a/../b',
    '.git',
    '.git/config',
    'a/.hidden',
    '.',
    '/',
    'a//b',
    'a/',
    'uploads/x',
    'a\u0000b',
    'a\nb\u0007',
    'GIT~1/x',
    'x'.repeat(246),
    `${'x'.repeat(256)}/a`,
    'x/'.repeat(600),
    'a\u202eb',
    '..\\..\\x',
    ' ',
  ]
  test('that no file may have are refused', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    for (const title of refused) {
      const made = await p.developer.post(p.wikis, { title, content: 'x' })
      const moved = await p.developer.put(`${p.wikis}/home`, { title })
      expect([title, made.status, moved.status]).toEqual([title, 400, 400])
    }
    expect((await p.guest.get(p.wikis)).body).toHaveLength(1)
  })

  test('are taken once', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'a b')
    await write(p, 'c')
    const message = { base: ['Duplicate page: A page with that title already exists'] }
    const again = await p.developer.post(p.wikis, { title: 'a-b', content: '', format: 'org' })
    expect([again.status, again.body.message]).toEqual([400, message])
    const moved = await p.developer.put(`${p.wikis}/c`, { title: 'a b' })
    expect([moved.status, moved.body.message]).toEqual([400, message])
    // A folder may have the name of a page.
    expect((await write(p, 'c/d')).slug).toBe('c/d')
  })

  test('that no page can have find none', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    for (const slug of ['..%2Fa', '.git', '%2F', 'a%00', '%FF', 'uploads%2Fx'])
      expect([400, 404]).toContain((await p.guest.get(`${p.wikis}/${slug}`)).status)
  })
})

describe('parameters', () => {
  test('that are missing are named', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home')
    const empty = await p.developer.post(p.wikis, {})
    expect([empty.status, empty.body.error]).toEqual([400, 'title is missing, content is missing'])
    const nothing = await p.developer.put(`${p.wikis}/home`, {})
    expect([nothing.status, nothing.body.error]).toEqual([
      400,
      'content, title, format, front_matter are missing, at least one parameter must be provided',
    ])
    const format = await p.developer.put(`${p.wikis}/home`, { format: 'textile' })
    expect(format.body.error).toBe('format does not have a valid value')
    const file = await p.developer.send('POST', `${p.wikis}/attachments`, { form: new FormData() })
    expect([file.status, file.body.error]).toEqual([400, 'file is missing'])
  })

  test('version finds a page as it was', async () => {
    const p = await placeWithWiki('projects')
    await write(p, 'home', 'first')
    const commit = await tip(p)
    await p.developer.put(`${p.wikis}/home`, { content: 'second' })
    expect((await p.guest.get(`${p.wikis}/home?version=${commit}`)).body.content).toBe('first')
    expect((await p.guest.get(`${p.wikis}/home?version=${commit.slice(0, 10)}`)).body.content).toBe('first')
    for (const version of ['1'.repeat(40), 'unknown', '--all', 'HEAD:home.md'])
      expect((await p.guest.get(`${p.wikis}/home?version=${version}`)).status).toBe(404)
  })

  test('wiki_page_max_content_bytes limits pages', async () => {
    const p = await placeWithWiki('projects')
    const set = (bytes: number) => w.root.put('/application/settings', { wiki_page_max_content_bytes: bytes })
    expect((await set(1_023)).status).toBe(400)
    expect((await set(2_000)).body.wiki_page_max_content_bytes).toBe(2_000)
    try {
      const large = await p.developer.post(p.wikis, { title: 'large', content: 'ü'.repeat(1_001) })
      expect([large.status, large.body.message]).toEqual([
        400,
        { content: ['is too long (2002 bytes). The maximum size is 2000 bytes.'] },
      ])
      expect((await p.developer.post(p.wikis, { title: 'a', content: 'ü'.repeat(1_000) })).status).toBe(201)
    } finally {
      await set(5 * 1024 * 1024)
    }
  })
})

/** The last commit of a project's wiki. */
async function tip({ id }: WithWiki): Promise<string> {
  const repository = await w.running.services.repositories.find({ kind: 'wiki', project: id })
  return repository?.row.last_commit_sha ?? ''
}

test('ten pages written at once are all there', async () => {
  const p = await placeWithWiki('projects')
  const titles = Array.from({ length: 10 }, (_, index) => `page ${index}`)
  const made = await Promise.all(
    titles.map(async (title, index) =>
      (index % 2 === 0 ? p.developer : on(p.maintainer)).post(p.wikis, { title, content: title }),
    ),
  )
  expect(made.map(({ status }) => status)).toEqual(titles.map(() => 201))
  const { body } = await p.guest.get(p.wikis)
  expect(new Set(body.map((page: { wiki_page_meta_id: number }) => page.wiki_page_meta_id)).size).toBe(10)
  const repository = await w.running.services.repositories.find({ kind: 'wiki', project: p.id })
  expect(repository?.row.commit_count).toBe(10)
})

test('a change that changes nothing makes no commit', async () => {
  const p = await placeWithWiki('projects')
  await write(p, 'home', 'Text')
  const before = await tip(p)
  const { status, body } = await p.developer.put(`${p.wikis}/home`, { content: 'Text', title: 'home' })
  expect([status, body.content, await tip(p)]).toEqual([200, 'Text', before])
})

test('writing counts as activity of the project, and changes nothing of its code', async () => {
  const p = await placeWithWiki('projects')
  const past = '2020-01-01T00:00:00.000Z'
  await w.db.updateTable('projects').set({ last_activity_at: past }).where('id', '=', p.id).execute()
  await write(p, 'home')
  const { body } = await p.guest.get(p.at)
  expect([body.last_activity_at > past, body.empty_repo]).toEqual([true, true])
})

test('a wiki goes with its project or group', async () => {
  for (const container of containers) {
    const p = await placeWithWiki(container)
    const { wiki_page_meta_id: id } = await write(p, 'home')
    const rows = async () =>
      (await w.db.selectFrom('wiki_pages').select('id').where('id', '=', id).execute()).length
    const owned = () =>
      w.db
        .selectFrom('repositories')
        .select('id')
        .where(container === 'projects' ? 'project_id' : 'group_id', '=', p.id)
        .execute()
    expect([await rows(), (await owned()).length]).toEqual([1, 1])
    expect((await on(p.owner).delete(p.at)).status).toBe(202)
    await expect.poll(rows).toBe(0)
    await expect.poll(async () => (await owned()).length).toBe(0)
  }
})
