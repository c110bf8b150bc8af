import { beforeAll, expect, test } from 'vitest'
import { suggestible, type Suggestible } from '#code/merge-requests/suggestions/test-support.ts'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { keyOf, lineKey } from '../repository/line-keys.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Numbers of lines lead to a form below them, and what was said of lines stands there.

let p: Suggestible
let page = ''
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await suggestible({ visibility: 'public' })
  page = `/${p.fullPath}/-/merge_requests/${p.body.iid}/diffs`
  reader = await signedIn(w)
})

const key = (after: number, before = 0, new_path = 'code.txt') =>
  lineKey(keyOf({ new_path }), { before, after })
const shown = async (query = '') => (await reader.visitor.get(page + query, HERE)).text
const linksIn = (text: string) =>
  [...text.matchAll(/<td[^>]*><a href="([^"]*)">(\d+)<\/a><\/td>/g)].map(([, to = '', number]) => [
    to,
    number,
  ])
/** The row of a table that starts with this id. */
const rowAt = (text: string, id: string) =>
  text.split(`<tr class="talk" id="${id}">`)[1]?.split('</section>')[0]

test.each(['', '?view=parallel'])('the number of a line leads to a form below it: %s', async (query) => {
  const links = linksIn(await shown(query))
  const begin = query === '' ? '?on=' : '?view=parallel&amp;on='
  expect(links).toContainEqual([`${begin}${key(3)}#draft-line-note`, '3'])
  const [[address = ''] = []] = links.filter(([to]) => to?.includes(key(3)))
  const [to = ''] = address.replaceAll('&amp;', '&').split('#')
  const text = await shown(to)
  const row = rowAt(text, key(3))
  for (const part of ['On line 3 of code.txt', 'id="draft-line-note"', 'name="line" value="3"'])
    expect(row).toContain(part)
  expect(formsIn(text)).toEqual(['draft-line', 'comment-line'])
  expect(row).toContain('suggest=code.txt&amp;from=3&amp;to=3#draft-line-note')
})

test('a form at a line comments, keeps what was typed, and leads back to the line', async () => {
  const at = `${page}?on=${key(5)}`
  const { text } = await reader.visitor.get(at, HERE)
  const hidden = Object.fromEntries(
    ['head_sha', 'file', 'side', 'line'].map((name) => [
      name,
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '',
    ]),
  )
  const empty = await submit(reader.visitor, at, 'comment-line', { ...hidden, note: '' })
  expect(empty.status).toBe(400)
  expect(rowAt(empty.text, key(5))).toContain('Body is empty.')
  const said = await submit(reader.visitor, at, 'comment-line', { ...hidden, note: 'Why **five**?' })
  expect([said.status, said.headers.location]).toEqual([303, `${page}#${key(5)}`])
  const kept = await submit(reader.visitor, at, 'draft-line', { ...hidden, note: 'A _draft_' })
  expect([kept.status, kept.headers.location]).toEqual([303, `${page}#${key(5)}`])
  for (const query of ['', '?view=parallel']) {
    const row = rowAt(await shown(query), key(5))
    for (const part of ['<strong>five</strong>', '<em>draft</em>', 'Reply, react, change'])
      expect(row).toContain(part)
  }
  const stranger = await w.running.app.inject({ url: page, headers: HERE })
  expect(stranger.body).not.toContain('class="talk"')
  expect(linksIn(stranger.body)).toEqual([])
})

test('a thread at a line is answered there', async () => {
  const [thread] = (await p.developer.get(p.discussions)).body
  const note = thread.notes[0].id
  const at = `${page}?note=${note}`
  const text = await shown(`?note=${note}`)
  expect(rowAt(text, key(5))).toContain(`reply/${thread.id}`)
  expect(formsIn(text)).not.toContain(`resolve/${thread.id}`)
  const said = await reader.visitor.post(
    at,
    { authenticity_token: csrfTokenIn(text), do: `reply/${thread.id}`, body: 'Because' },
    HERE,
  )
  expect([said.status, said.headers.location]).toEqual([303, `${page}?page=1#note_${note}`])
  expect(rowAt(await shown(), key(5))).toContain('Because')
})

test.each(['nonsense', 'ffffffff_1_1', 'PATH_999_0', '%00'])(
  'a line that is not there has no form: %s',
  async (on) => {
    const { status, text } = await reader.visitor.get(
      `${page}?on=${on.replace('PATH', keyOf({ new_path: 'code.txt' }))}`,
      HERE,
    )
    expect(status).toBeLessThan(500)
    if (status === 200) expect(formsIn(text)).toContain('choose-lines')
  },
)

test('what was said of an earlier version is counted at its file', async () => {
  await p.commit({ 'code.txt': (await p.fileNow()).replace('line 1\n', 'line one\n') })
  await expect.poll(() => shown()).toContain('2 comments on another version of this file')
  const text = await shown()
  expect(rowAt(text, key(5))).toBeUndefined()
  const versions = (await p.developer.get(`${p.path}/versions`)).body
  const earlier = await shown(`?version=${versions.at(-1).id}`)
  expect(rowAt(earlier, key(5))).toContain('<strong>five</strong>')
  expect(linksIn(earlier)).toEqual([])
})
