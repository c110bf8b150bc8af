import { beforeAll, expect, test } from 'vitest'
import { csrfTokenIn, signedIn, type Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Files, branches and tags that people write in the browser.

let p: Awaited<ReturnType<typeof w.project>>
let page = ''
let at = ''
let developer: Awaited<ReturnType<typeof signedIn>>
let maintainer: Awaited<ReturnType<typeof signedIn>>
let reader: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  page = `/${p.fullPath}/-`
  at = `/projects/${p.id}/repository`
  developer = await signedIn(w)
  maintainer = await signedIn(w)
  reader = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  await w.member(p.namespaceId, maintainer, 40)
  await p.owner.post(`${at}/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [
      { action: 'create', file_path: 'README.md', content: '# Hello\n' },
      { action: 'create', file_path: 'docs/a b/ü.txt', content: '\nwindows\r\n'.replace('\n', '\r\n') },
      { action: 'create', file_path: 'mixed.txt', content: 'one\r\ntwo\n' },
      { action: 'create', file_path: 'logo.png', content: 'iVAAAA==', encoding: 'base64' },
      { action: 'create', file_path: 'bad.txt', content: 'gIGC', encoding: 'base64' },
      { action: 'create', file_path: 'large.txt', content: 'x'.repeat(1024 * 1024 + 1) },
    ],
  })
  await p.owner.post(`${at}/branches`, { branch: 'feature/one', ref: 'main' })
  await p.owner.post(`${at}/tags`, { tag_name: 'v1', ref: 'main' })
})

const shown = async (who: Pick<typeof developer, 'visitor'>, path: string) =>
  (await who.visitor.get(`${page}/${path}`, HERE)).text

async function contentOf(path: string, ref = 'main'): Promise<string> {
  const file = await p.owner.get(`${at}/files/${encodeURIComponent(path)}?ref=${encodeURIComponent(ref)}`)
  return file.status === 200 ? Buffer.from(file.body.content, 'base64').toString() : String(file.status)
}

const hiddenIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** Sends a file as a browser does. */
async function upload(
  visitor: Visitor,
  path: string,
  fields: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> },
): Promise<Response> {
  const { text } = await visitor.get(path, HERE)
  const body = new FormData()
  body.set('authenticity_token', csrfTokenIn(text))
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  if (file !== undefined) body.set('file', new File([file.bytes], file.name))
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return fetch(`${w.url}${path}`, { method: 'POST', body, headers: { ...HERE, cookie }, redirect: 'manual' })
}

test('a new file is committed to its branch, and shown', async () => {
  expect(await shown(maintainer, 'tree/main/docs')).toContain(`href="${page}/new/main/docs"`)
  expect(await shown(maintainer, 'new/main/docs')).toContain('value="docs/"')
  const made = await submit(maintainer.visitor, `${page}/new/main/docs`, 'create', {
    file_path: 'docs/ä/new.txt',
    content: 'one\r\ntwo\r\n',
    commit_message: 'Add it\r\n\r\nBecause.',
    branch: 'main',
  })
  expect(made.headers.location).toBe(`${page}/blob/main/docs/%C3%A4/new.txt`)
  expect(await contentOf('docs/ä/new.txt')).toBe('one\ntwo\n')
  const [commit] = (await p.owner.get(`${at}/commits`)).body
  expect(commit.message).toBe('Add it\n\nBecause.')
  const again = await submit(maintainer.visitor, `${page}/new/main`, 'create', {
    file_path: 'README.md',
    content: '\nKept & <safe>',
    commit_message: 'Again',
    branch: 'main',
  })
  expect(again.status).toBe(400)
  expect(again.text).toContain('A file with this name already exists')
  // A browser drops the first line break in a text field.
  expect(again.text).toContain('>\n\nKept &amp; &lt;safe&gt;</textarea>')
})

test('a file is changed on a branch with slashes, and its lines end as before', async () => {
  const path = 'edit/feature/one/docs/a%20b/%C3%BC.txt'
  const form = await shown(developer, path)
  expect(form).toContain('value="docs/a b/ü.txt"')
  expect(form).toContain('value="feature/one"')
  expect(form).toContain('>\n\r\nwindows\r\n</textarea>')
  const saved = await submit(developer.visitor, `${page}/${path}`, 'save', {
    file_path: 'docs/a b/ü.txt',
    content: '\r\nwindows\r\nmore\r\n',
    line_ends: hiddenIn(form, 'line_ends'),
    last_commit_id: hiddenIn(form, 'last_commit_id'),
    commit_message: 'Change it',
    branch: 'feature/one',
  })
  expect(saved.headers.location).toBe(`${page}/blob/feature/one/docs/a%20b/%C3%BC.txt`)
  expect(await contentOf('docs/a b/ü.txt', 'feature/one')).toBe('\r\nwindows\r\nmore\r\n')
  expect(await contentOf('docs/a b/ü.txt')).toBe('\r\nwindows\r\n')
})

test('a new branch leads to a new merge request', async () => {
  // Developers do not push to the default branch.
  const form = await shown(developer, 'edit/main/README.md')
  expect(form).toContain('You may not push to main')
  const saved = await submit(developer.visitor, `${page}/edit/main/README.md`, 'save', {
    file_path: 'docs/READ & ME.md',
    content: '# Moved\r\n',
    commit_message: 'Move it',
    branch: 'topic',
  })
  const to = new URL(saved.headers.location ?? '', w.url)
  expect(to.pathname).toBe(`${page}/merge_requests/new`)
  const branch = to.searchParams.get('merge_request[source_branch]') ?? ''
  expect(to.searchParams.get('merge_request[target_branch]')).toBe('main')
  expect(await contentOf('docs/READ & ME.md', branch)).toBe('# Moved\n')
  expect(await contentOf('README.md', branch)).toBe('404')
  const refused = await submit(developer.visitor, `${page}/edit/main/README.md`, 'save', {
    file_path: 'README.md',
    content: 'Mine',
    commit_message: 'Push it',
    branch: 'main',
  })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(refused.status).toBeLessThan(500)
  expect(refused.text).toContain('Mine</textarea>')
  const tagged = await submit(developer.visitor, `${page}/edit/v1/README.md`, 'save', {
    file_path: 'README.md',
    content: 'From a tag',
    commit_message: 'Change it',
    branch: 'from-tag',
  })
  expect(tagged.headers.location).toContain('from-tag')
  expect(await contentOf('README.md', 'from-tag')).toBe('From a tag')
})

test('two people change one file: the second is told, and both texts stay', async () => {
  const path = `${page}/edit/main/README.md`
  const form = (await maintainer.visitor.get(path, HERE)).text
  await p.owner.put(`${at}/files/README.md`, { branch: 'main', content: 'Theirs', commit_message: 'First' })
  const fields = {
    authenticity_token: csrfTokenIn(form),
    do: 'save',
    file_path: 'README.md',
    content: 'Mine',
    commit_message: 'Second',
    branch: 'main',
    last_commit_id: hiddenIn(form, 'last_commit_id'),
  }
  const late = await maintainer.visitor.post(path, fields, HERE)
  expect(late.status).toBe(400)
  expect(late.text).toContain('Mine</textarea>')
  expect(late.text).toContain('has changed since')
  expect(await contentOf('README.md')).toBe('Theirs')
  const again = { ...fields, last_commit_id: hiddenIn(late.text, 'last_commit_id') }
  expect((await maintainer.visitor.post(path, again, HERE)).status).toBe(303)
  expect(await contentOf('README.md')).toBe('Mine')
  // What was typed stays also when the file is gone.
  await p.owner.delete(`${at}/files/README.md?branch=main&commit_message=Gone`)
  const gone = await maintainer.visitor.post(path, { ...again, content: 'Nearly lost' }, HERE)
  expect(gone.status).toBe(400)
  expect(gone.text).toContain('Nearly lost</textarea>')
  expect((await maintainer.visitor.get(path, HERE)).status).toBe(404)
  await p.owner.post(`${at}/files/README.md`, { branch: 'main', content: '# Hi\n', commit_message: 'Back' })
})

test('files are uploaded, and replace what a form cannot hold', async () => {
  const bytes = new Uint8Array([0, 255, 13, 10, 128])
  const sent = { do: 'upload', folder: '/docs/', commit_message: 'Upload', branch: 'main' }
  const made = await upload(maintainer.visitor, `${page}/new/main/docs`, sent, { name: 'bytes.bin', bytes })
  expect(made.headers.get('location')).toBe(`${page}/blob/main/docs/bytes.bin`)
  const kept = await p.owner.get(`${at}/files/docs%2Fbytes.bin?ref=main`)
  expect(kept.body.content).toBe(Buffer.from(bytes).toString('base64'))
  const missing = await upload(maintainer.visitor, `${page}/new/main`, sent)
  expect(missing.status).toBe(400)
  expect(await missing.text()).toContain('id="upload-file-problem"')
  for (const [path, because] of [
    ['logo.png', 'The file is not text.'],
    ['bad.txt', 'The file is not text.'],
    ['mixed.txt', 'end in different ways'],
    ['large.txt', 'too large'],
  ] as const) {
    const form = await shown(maintainer, `edit/main/${path}`)
    expect(form).toContain(because)
    expect(formsIn(form)).toEqual(expect.arrayContaining(['rename', 'replace', 'delete']))
    expect(formsIn(form)).not.toContain('save')
  }
  const file = { name: 'other.png', bytes }
  const replace = { do: 'replace', commit_message: 'Replace', branch: 'main' }
  const replaced = await upload(maintainer.visitor, `${page}/edit/main/logo.png`, replace, file)
  expect(replaced.headers.get('location')).toBe(`${page}/blob/main/logo.png`)
  const moved = await submit(maintainer.visitor, `${page}/edit/main/logo.png`, 'rename', {
    file_path: 'images/logo.png',
    commit_message: 'Move',
    branch: 'main',
  })
  expect(moved.headers.location).toBe(`${page}/blob/main/images/logo.png`)
  const { body } = await p.owner.get(`${at}/files/images%2Flogo.png?ref=main`)
  expect(body.content).toBe(Buffer.from(bytes).toString('base64'))
})

test('a file is deleted', async () => {
  const gone = await submit(maintainer.visitor, `${page}/edit/main/bad.txt`, 'delete', {
    commit_message: 'Delete it',
    branch: 'main',
  })
  expect(gone.headers.location).toBe(`${page}/tree/main`)
  expect(await contentOf('bad.txt')).toBe('404')
})

test('the first file of a repository makes its branch', async () => {
  const empty = await w.project({ visibility: 'public' })
  await w.member(empty.namespaceId, maintainer, 40)
  const first = `/${empty.fullPath}/-/new/main`
  expect((await maintainer.visitor.get(`/${empty.fullPath}`, HERE)).text).toContain(`href="${first}"`)
  const made = await submit(maintainer.visitor, first, 'create', {
    file_path: 'README.md',
    content: '# Hello',
    commit_message: 'Begin',
    branch: 'main',
  })
  expect(made.headers.location).toBe(`/${empty.fullPath}/-/blob/main/README.md`)
})

test('only those who may write are offered to', async () => {
  for (const path of ['tree/main', 'blob/main/README.md'])
    for (const link of [`${page}/new/main`, `${page}/edit/main/README.md`])
      expect(await shown(reader, path)).not.toContain(`"${link}"`)
  expect(await shown(developer, 'blob/main/README.md')).toContain(`"${page}/edit/main/README.md"`)
  for (const path of ['new/main', 'edit/main/README.md']) {
    const text = await shown(reader, path)
    expect(formsIn(text)).toEqual([])
    expect(text).toContain('You may not change files here.')
    expect((await reader.visitor.get(`${page}/${path.replace('main', 'none')}`, HERE)).status).toBe(404)
  }
})

test('a branch is made, offered to be merged, and deleted', async () => {
  const made = await submit(developer.visitor, `${page}/branches/new`, 'make', {
    branch: 'mended/x',
    ref: 'v1',
  })
  expect(made.headers.location).toBe(`${page}/tree/mended/x`)
  const list = `${page}/branches?search=mended`
  const offer = 'merge_requests/new?merge_request%5Bsource_branch%5D=mended%2Fx'
  // It has no commit of its own yet.
  const file = { branch: 'mended/x', commit_message: 'Work', content: 'x' }
  await p.owner.post(`${at}/files/work.txt`, file)
  expect((await developer.visitor.get(list, HERE)).text).toContain(offer)
  const asked = { source_branch: 'mended/x', target_branch: 'main', title: 'Work' }
  await p.owner.post(`/projects/${p.id}/merge_requests`, asked)
  expect((await developer.visitor.get(list, HERE)).text).not.toContain(offer)
  expect((await reader.visitor.get(list, HERE)).text).not.toContain('name="do"')
  const gone = await submit(developer.visitor, list, 'delete/mended/x')
  expect(gone.headers.location).toBe(list)
  expect((await p.owner.get(`${at}/branches/mended%2Fx`)).status).toBe(404)
  expect(formsIn((await developer.visitor.get(`${page}/branches`, HERE)).text)).not.toContain('delete/main')
  const wrong = await submit(developer.visitor, `${page}/branches/new`, 'make', {
    branch: 'new',
    ref: 'none',
  })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('Invalid reference name: none')
  expect(formsIn(await shown(reader, 'branches/new'))).toEqual([])
})

test('a tag is made with a message, and deleted', async () => {
  const made = await submit(maintainer.visitor, `${page}/tags/new`, 'make', {
    tag_name: 'v2',
    ref: 'main',
    message: 'Two\r\nlines',
  })
  expect(made.headers.location).toBe(`${page}/tree/v2`)
  expect((await p.owner.get(`${at}/tags/v2`)).body.message).toBe('Two\nlines')
  await submit(maintainer.visitor, `${page}/tags`, 'delete/v2')
  expect((await p.owner.get(`${at}/tags/v2`)).status).toBe(404)
})
