import { beforeAll, expect, test } from 'vitest'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Snippets that people write in the browser.

let p: Awaited<ReturnType<typeof w.project>>
let ada: Awaited<ReturnType<typeof signedIn>>
let other: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  ada = await signedIn(w)
  other = await signedIn(w)
  await w.member(p.namespaceId, ada, 30)
})

const places = [
  { name: 'a project', page: () => `/${p.fullPath}/-/snippets`, api: () => `/projects/${p.id}/snippets` },
  { name: 'people', page: () => '/-/snippets', api: () => '/snippets' },
] as const

test.each(places)('a snippet of $name is made of several files, changed and deleted', async (place) => {
  const page = place.page()
  const made = await submit(ada.visitor, `${page}/new`, 'create', {
    title: 'Door',
    description: 'It *squeaks*',
    visibility: 'public',
    file_path_1: 'door.ts',
    content_1: 'open()\r\n',
    file_path_2: 'docs/b ü.md',
    content_2: '# Door',
    file_path_3: '',
    content_3: '',
  })
  const one = made.headers.location ?? ''
  expect(one).toMatch(new RegExp(`^${page}/\\d+$`))
  const api = `${place.api()}/${one.split('/').at(-1)}`
  const snippet = async () => (await ada.user.get(api)).body
  const textOf = async (path: string) =>
    (await ada.user.get(`${api}/files/HEAD/${encodeURIComponent(path)}/raw`)).text
  expect((await snippet()).files.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'docs/b ü.md',
    'door.ts',
  ])
  expect(await textOf('door.ts')).toBe('open()\n')

  expect((await ada.visitor.get(one, HERE)).text).toContain(`href="${one}/edit"`)
  await submit(ada.visitor, `${one}/edit`, 'save', {
    title: 'Gate',
    description: 'Better',
    visibility: 'public',
  })
  expect(await snippet()).toMatchObject({ title: 'Gate', description: 'Better' })

  const edit = `${one}/edit?file=door.ts`
  const form = (await ada.visitor.get(edit, HERE)).text
  await ada.user.put(api, { files: [{ action: 'update', file_path: 'door.ts', content: 'theirs\n' }] })
  const seenIn = (text: string) =>
    [...text.matchAll(/name="seen_texts" value="([^"]*)"/g)].map(([, value = '']) => value).at(-1) ?? ''
  const fields = {
    authenticity_token: csrfTokenIn(form),
    seen_texts: seenIn(form),
    do: 'save-file',
    file_path_1: 'gate.ts',
    content_1: 'mine()\r\n',
  }
  const late = await ada.visitor.post(edit, fields, HERE)
  expect(late.status).toBe(409)
  expect(late.text).toContain('mine()')
  const again = await ada.visitor.post(edit, { ...fields, seen_texts: seenIn(late.text) }, HERE)
  expect(again.headers.location).toBe(one)
  expect(await textOf('gate.ts')).toBe('mine()\n')

  await submit(ada.visitor, `${one}/edit`, 'add-file', { file_path_1: 'more.txt', content_1: 'More' })
  expect(await textOf('more.txt')).toBe('More')
  await submit(ada.visitor, `${one}/edit?file=more.txt`, 'delete-file')
  expect((await snippet()).files).toHaveLength(2)

  const foreign = (await other.visitor.get(`${one}/edit`, HERE)).text
  expect(formsIn(foreign)).toEqual([])
  expect((await other.visitor.get(one, HERE)).text).not.toContain(`${one}/edit`)
  await submit(ada.visitor, `${one}/edit`, 'delete')
  expect((await ada.user.get(api)).status).toBe(404)
})

test.each(places)('a refusal of a snippet of $name keeps what was typed', async (place) => {
  const refused = await submit(ada.visitor, `${place.page()}/new`, 'create', {
    title: ' ',
    description: '',
    visibility: 'private',
    file_path_1: '../x',
    content_1: 'Kept & <safe>',
    file_path_2: '',
    content_2: 'And this',
  })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('Kept &amp; &lt;safe&gt;</textarea>')
  expect(refused.text).toContain('And this</textarea>')
})

test('who may not write in a project is not offered to', async () => {
  const page = `/${p.fullPath}/-/snippets`
  expect((await other.visitor.get(page, HERE)).text).not.toContain(`${page}/new`)
  expect((await ada.visitor.get(page, HERE)).text).toContain(`href="${page}/new"`)
  expect(formsIn((await other.visitor.get(`${page}/new`, HERE)).text)).toEqual([])
})
