import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

const render = async (by: Client, text: string, more: object = {}): Promise<string> => {
  const { status, body } = await by.post('/markdown', { text, gfm: true, ...more })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.html
}
const rel = 'rel="nofollow noreferrer noopener"'

describe('Markdown becomes HTML', () => {
  const html = (text: string) => render(w.anonymous, text)

  test.each([
    ['a paragraph', 'Hello *world*', '<p>Hello <em>world</em></p>\n'],
    ['nothing', '', ''],
    [
      'a heading, with a place to link to',
      '# Next `steps`! :tada:\n# Next steps',
      '<h1 id="user-content-next-steps"><a name="next-steps"></a>Next <code>steps</code>! 🎉</h1>\n' +
        '<h1 id="user-content-next-steps-1"><a name="next-steps-1"></a>Next steps</h1>\n',
    ],
    [
      'a heading in another script',
      '## Über 日本 ✨',
      '<h2 id="user-content-über-日本"><a name="über-日本"></a>Über 日本 ✨</h2>\n',
    ],
    [
      'a task list',
      '- [ ] a\n- [x] b\n- [?] c',
      '<ul class="task-list">\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" aria-label="To do" disabled /> a</li>\n' +
        '<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" aria-label="Done" disabled checked /> b</li>\n' +
        '<li>[?] c</li>\n</ul>\n',
    ],
    [
      'a table',
      '| a | b |\n|--:|---|\n| 1 | ~~2~~ |',
      '<table>\n<thead>\n<tr>\n<th align="right">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n' +
        '<tr>\n<td align="right">1</td>\n<td><s>2</s></td>\n</tr>\n</tbody>\n</table>\n',
    ],
    [
      'code, which nobody changes',
      '```js\n:tada: <b> @root #1\n```',
      '<pre><code class="language-js">:tada: &lt;b&gt; @root #1\n</code></pre>\n',
    ],
    [
      'addresses',
      'https://x.example/?a=1&b',
      `<p><a href="https://x.example/?a=1&amp;b" ${rel}>https://x.example/?a=1&amp;b</a></p>\n`,
    ],
    ['an image', '![a](/b.png "c")', '<p><img src="/b.png" alt="a" title="c" /></p>\n'],
    [
      'names of emoji, and what only looks so',
      ':+1: 10:30:45 a:cat: :nope:',
      '<p>👍 10:30:45 a:cat: :nope:</p>\n',
    ],
    ['text from right to left', 'שלום **עולם**', '<p>שלום <strong>עולם</strong></p>\n'],
    ['signs behind a backslash', '\\#1 \\@root \\\\ \\*', '<p>#1 @root \\ *</p>\n'],
    ['what no text may have', 'a\0b', '<p>a\uFFFDb</p>\n'],
  ])('%s', async (_, text, expected) => {
    // JSON cannot carry it to the server, which refuses it.
    if (text.includes('\0')) return expect((await w.anonymous.post('/markdown', { text })).status).toBe(400)
    expect(await html(text)).toBe(expected)
  })

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><use href="data:image/svg+xml,evil"></svg>',
    '[a](javascript:alert(1)) [b](<java\nscript:alert(1)>) [c](vbscript:evil) [d](data:text/html,evil)',
    '<a href="jav&#x09;ascript:alert(1)">e</a> <a href="//evil.example">f</a>',
    '<form action=/evil><input type=text name=evil><button>g</button></form>',
    '<iframe src=/evil></iframe><object data=evil></object><embed src=evil><base href=/evil>',
    '<p style="position:fixed" class="evil" id="evil" onclick=evil()>h</p>',
    '<input type=checkbox onclick=evil() name=evil class=evil>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<a href="x" class="gfm" data-reference-type="issue">i</a>',
    '<!--><img src=x onerror=alert(1)>--> <![CDATA[<script>alert(1)</script>]]>',
    '`<script>` ![j](javascript:alert(1)) <a name="evil" href=" javascript:evil">k</a>',
    '| a |\n|---|\n| <td style="text-align:left;color:red"> |',
  ])('that is safe: %s', async (text) => {
    const safe = await html(text)
    const tags = safe.replaceAll(/&lt;.*?&gt;/g, '')
    expect(tags).not.toMatch(
      /<(?:script|iframe|svg|style|form|object|embed|base|button|math|input type="text")|<[^>]* (?:on\w+|style|class="(?:evil|gfm)|id="evil|name="evil"[^>]*href)=|(?:href|src)="(?:\s*j|\/\/|v|d)/i,
    )
  })

  test('headings of one name have different ids', async () => {
    const names = [...(await html('# a\n# a\n# a-1\n# a\n# !')).matchAll(/name="([^"]*)"/g)]
    expect(names.map(([, name]) => name)).toEqual(['a', 'a-1', 'a-1-1', 'a-2'])
  })

  test('a raw heading gets no id that the page around may have', async () => {
    expect(await html('<h1 id="main">x</h1>')).toBe('<h1 id="user-content-main">x</h1>')
  })
})

describe('references', () => {
  const link = (kind: string, page: string, title: string, text: string) =>
    `<a href="${w.url}/${page}" class="gfm" data-reference-type="${kind}" title="${title}">${text}</a>`

  async function place(visibility: 'public' | 'private' = 'private') {
    const p = await w.project({ visibility })
    const issue = (await p.owner.post(`/projects/${p.id}/issues`, { title: 'A "quoted" <b>title</b>' })).body
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'to do', color: 'red', description: 'Not yet' })
    await p.owner.post(`/projects/${p.id}/milestones`, { title: '1.0' })
    const title = 'A &quot;quoted&quot; &lt;b&gt;title&lt;/b&gt;'
    return { ...p, issue, toIssue: (text: string) => link('issue', `${p.fullPath}/-/issues/1`, title, text) }
  }

  test('lead to what they name in the project', async () => {
    const p = await place()
    const html = await render(p.guest, 'See #1, %"1.0", ~"to do" and #2.', { project: p.fullPath })
    const milestone = link('milestone', `${p.fullPath}/-/milestones/1`, '1.0', '%"1.0"')
    const label = link('label', `${p.fullPath}/-/issues?label_name=to%20do`, 'Not yet', '~"to do"')
    expect(html).toBe(`<p>See ${p.toIssue('#1')}, ${milestone}, ${label} and #2.</p>\n`)
  })

  test('and from anywhere by the path', async () => {
    const p = await place()
    const text = `${p.fullPath}#1 #1 ${w.url}/${p.fullPath}/-/issues/1#note_7 ${w.url}/${p.fullPath}/-/issues/1?x`
    const html = await render(p.guest, text)
    expect(html).toContain(`<p>${p.toIssue(`${p.fullPath}#1`)} #1 <a `)
    expect(html).toContain(`/-/issues/1#note_7" class="gfm"`)
    expect(html).toContain(
      `>${p.fullPath}#1 (comment 7)</a> <a href="${w.url}/${p.fullPath}/-/issues/1?x" ${rel}>`,
    )
    const here = await render(p.guest, p.issue.web_url, { project: p.fullPath })
    expect(here).toBe(`<p>${p.toIssue('#1')}</p>\n`)
  })

  test('are text in code, in links and behind a backslash', async () => {
    const p = await place()
    const text = '`#1` [#1](x) \\#1 <a href="x">#1</a> <code>#1</code>\n\n    #1\n\n<div>#1 &amp; #1</div>'
    const html = await render(p.guest, text, { project: p.fullPath })
    expect(html).toBe(
      `<p><code>#1</code> <a href="x" ${rel}>#1</a> #1 <a href="x" ${rel}>#1</a> <code>#1</code></p>\n` +
        `<pre><code>#1\n</code></pre>\n<div>${p.toIssue('#1')} &amp; ${p.toIssue('#1')}</div>`,
    )
  })

  test('tell strangers nothing', async () => {
    const [here, hidden] = [await place('public'), await place()]
    const secret = (
      await here.owner.post(`/projects/${here.id}/issues`, { title: 'Secret', confidential: true })
    ).body
    const url = `${w.url}/${hidden.fullPath}/-/issues/1`
    const text = `${hidden.fullPath}#1 ${hidden.fullPath}~"to do" ${hidden.fullPath}%1 ${url} #${secret.iid} #99`
    const shown = `<p>${hidden.fullPath}#1 ${hidden.fullPath}~&quot;to do&quot; ${hidden.fullPath}%1 <a href="${url}" ${rel}>${url}</a> #${secret.iid} #99</p>\n`
    for (const by of [w.anonymous, here.guest, here.stranger])
      expect(await render(by, text, { project: here.fullPath })).toBe(shown.replaceAll('&quot;', '"'))
    expect(await render(hidden.guest, text)).toContain('title="Not yet"')
    expect(await render(here.planner, text, { project: here.fullPath })).toContain('title="Secret"')
  })

  test('to labels and milestones need an open part of the project', async () => {
    const p = await place('public')
    const closed = { issues_access_level: 'private', merge_requests_access_level: 'disabled' }
    await p.owner.put(`/projects/${p.id}`, closed)
    const text = '#1 ~"to do" %1'
    expect(await render(p.stranger, text, { project: p.fullPath })).toBe('<p>#1 ~"to do" %1</p>\n')
    expect(await render(p.guest, text, { project: p.fullPath })).toMatch(/(?:class="gfm".*){3}/)
  })

  test('mentions lead to people and to groups that one may see', async () => {
    const group = await w.group()
    const user = await w.user({ name: 'Ada <3' })
    const text = `@${user.username} @${group.fullPath} @nobody-is-called-so a@b.example`
    const toUser = link('user', user.username, 'Ada &lt;3', `@${user.username}`)
    const html = await render(group.stranger, text)
    expect(html).toContain(`<p>${toUser} @${group.fullPath} @nobody-is-called-so <a href="mailto:`)
    expect(await render(group.guest, text)).toContain(`href="${w.url}/groups/${group.fullPath}"`)
    expect(await render(w.anonymous, text)).toContain(toUser)
  })

  test('are looked up together, and only so many', async () => {
    const p = await place()
    const text = '#1 ~"to do" %1 '
    const many = await w.statements(() => render(p.guest, text.repeat(100), { project: p.fullPath }))
    const few = await w.statements(() => render(p.guest, text, { project: p.fullPath }))
    expect(many).toHaveLength(few.length)
    const none = await w.statements(() => render(p.guest, 'Nothing', { project: p.fullPath }))
    expect(few.length - none.length).toBe(5)
    const html = await render(p.guest, '#1 '.repeat(600), { project: p.fullPath })
    expect(html.match(/class="gfm"/g)).toHaveLength(500)
  })

  test('stay text without gfm', async () => {
    const p = await place()
    expect(await render(p.guest, '#1', { gfm: false, project: p.fullPath })).toBe('<p>#1</p>\n')
  })
})

describe('a request', () => {
  test('names a project that the caller may see', async () => {
    const [open, hidden] = [await w.project({ visibility: 'public' }), await w.project()]
    const post = (by: Client, project: string) => by.post('/markdown', { text: 'a', project })
    for (const by of [hidden.stranger, w.anonymous]) {
      expect(await post(by, hidden.fullPath)).toMatchObject({
        status: 404,
        body: { message: '404 Project Not Found' },
      })
      expect((await post(by, 'no/where')).status).toBe(404)
      expect((await post(by, open.fullPath)).status).toBe(201)
    }
    expect((await post(hidden.guest, hidden.fullPath)).status).toBe(201)
  })

  test('has a text, which may be long', async () => {
    expect(await w.anonymous.post('/markdown', {})).toMatchObject({
      status: 400,
      body: { error: 'text is missing' },
    })
    const long = `${'*'.repeat(1_048_575)}<`
    expect(await render(w.anonymous, `${'*'.repeat(10_000)}<`)).toContain('<pre>')
    expect(await render(w.root, long)).toBe(`<pre>${long.replace('<', '&lt;')}</pre>`)
    expect((await w.root.post('/markdown', { text: `${long}x` })).status).toBe(400)
  })
})
