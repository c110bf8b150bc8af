import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { piecesOf, plain } from './islands/ansi.ts'
import { csrfTokenIn, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const BROWSER = { accept: 'text/html' }

test('a search for a kind that objects have by themselves is one for the usual kind', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor } = await signedIn(w)
  for (const scope of ['toString', 'constructor', '__proto__'])
    for (const page of ['/search', `/${p.fullPath}/-/search`]) {
      const { status } = await visitor.get(`${page}?search=a&scope=${scope}`, BROWSER)
      expect([page, scope, status]).toEqual([page, scope, 200])
    }
})

test('a part of a log that is one long escape sequence is read in time that grows with its length', async () => {
  const read = () => piecesOf(`\u001b[${'38;'.repeat(85_000)}mx`, plain())
  expect(await cpuTime(read)).toBeLessThan(1_000)
})

test('of many changed files, a page shows as many lines as browsers can bear, and leads to the others', async () => {
  const p = await w.project({ visibility: 'public' })
  const commit = (more: object, names: readonly string[], content: string) =>
    p.owner.post(`/projects/${p.id}/repository/commits`, {
      commit_message: 'Change',
      actions: names.map((file_path) => ({ action: 'create', file_path, content })),
      ...more,
    })
  await commit({ branch: 'main' }, ['a'], 'x')
  const names = Array.from({ length: 30 }, (_, number) => `file-${number}`)
  await commit({ branch: 'many', start_branch: 'main' }, names, '\n'.repeat(1_999))
  const { visitor } = await signedIn(w)
  const page = `/${p.fullPath}/-/compare/main...many`
  for (const view of ['inline', 'parallel']) {
    const { text } = await visitor.get(`${page}?view=${view}`, BROWSER)
    expect(text.match(/<tr/g)?.length).toBe(20_000)
    expect(text).toContain(`href="${page}?view=${view}&amp;file=30#file-30"`)
  }
  expect((await visitor.get(`${page}?file=30`, BROWSER)).text.match(/<tr/g)?.length).toBe(2_000)
})

test('nobody can make a notice for strangers, who have no secret to sign one with', async () => {
  const stranger = new Visitor(w.url)
  const text = Buffer.from('Call 0123')
  const signature = createHmac('sha256', 'notice ').update(text).digest('base64url')
  stranger.cookies.set('forgelet_notice', `${text.toString('base64url')}.${signature}`)
  expect((await stranger.get('/users/sign_in')).text).not.toContain('Call 0123')
  expect(stranger.cookies.has('forgelet_notice')).toBe(false)
})

test('pages take what forms send, which nests as deep and is as long as they can bear', async () => {
  const { visitor } = await signedIn(w)
  const page = '/-/user_settings/profile'
  const token = csrfTokenIn((await visitor.get(page)).text)
  const send = async (fields: Readonly<Record<string, string>>) =>
    (await visitor.post(page, { authenticity_token: token, do: 'save', ...fields })).status
  const json = async (text: string) => {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-csrf-token': token }
    const asked = { method: 'POST', body: text, headers: { ...headers, 'content-type': 'application/json' } }
    const { status } = await fetch(`${w.url}${page}`, asked)
    const { status: untyped } = await fetch(`${w.url}${page}`, { ...asked, headers, body: Buffer.from(text) })
    return [status, untyped]
  }
  expect(await json('{"do":"save/\\ud800"}')).toEqual([415, 415])
  expect(await json(`{"do":"save","bio":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toEqual([415, 415])
  expect(await send({ bio: '<'.repeat(2_500_001) })).toBe(413)
  expect(await send({ bio: '\r'.repeat(1_000_000) })).toBe(400)
  // What has the names of a file is none.
  expect(await send({ 'bio[data]': 'x', 'avatar[data]': 'x', 'avatar[filename]': 'x' })).toBe(400)
})
