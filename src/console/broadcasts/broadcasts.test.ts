import { expect, test } from 'vitest'
import { csrfTokenIn, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE } from '../test-support.ts'
import { fits } from './fits.ts'

const tell = async (page: string, wishes: object = {}): Promise<number> => {
  const asked = { message: '**Tea** <script>alert(1)</script> #1', target_path: page, ...wishes }
  const { body } = await w.root.post('/broadcast_messages', asked)
  return body.id
}
const says = (text: string) => text.includes('<strong>Tea</strong>')

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', false],
  ['*', '/a', true],
  ['/a/*', '/A/b', true],
  ['*/issues', '/a/-/issues', true],
  ['*/issues', '/a/-/issues/1', false],
  ['/a*/b*', '/ax/bc', true],
  ['/a*b*c', '/abbc', true],
  ['/aa*aa', '/aaa', false],
  ['/(a+)+$', '/aaaa', false],
])('%s names %s: %s', (pattern, address, answer) => {
  expect(fits(pattern, address)).toBe(answer)
})

test('a message is on the pages that it is for, as long as it is active', async () => {
  const p = await w.project({ visibility: 'public' })
  const page = `/${p.fullPath}`
  const stranger = new Visitor(w.url)
  const shown = async (address: string) => says((await stranger.get(address, HERE)).text)
  expect(await shown(page)).toBe(false)
  const id = await tell(`${page}*`)
  expect(await shown(page)).toBe(true)
  expect(await shown(`${page}/-/issues?state=all`)).toBe(true)
  expect(await shown('/explore')).toBe(false)
  const { text } = await stranger.get(page, HERE)
  expect(text).not.toContain('<script>alert')
  expect(text).not.toContain('Hide <span')
  await w.root.put(`/broadcast_messages/${id}`, { ends_at: '2020-01-01' })
  expect(await shown(page)).toBe(false)
  const later = { starts_at: '2099-01-01', ends_at: '2099-01-02' }
  await w.root.put(`/broadcast_messages/${id}`, later)
  expect(await shown(page)).toBe(false)
})

test('one for roles is for those who have them in the project or group', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor, user } = await signedIn(w)
  const page = `/${p.fullPath}`
  await tell(`${page}*`, { target_access_levels: [30] })
  const shown = async (word: string) => says((await visitor.get(page + word, HERE)).text)
  expect([await shown(''), await shown('/-/issues')]).toEqual([false, false])
  await p.owner.post(`/projects/${p.id}/members`, { user_id: user.id, access_level: 20 })
  expect(await shown('')).toBe(false)
  await p.owner.put(`/projects/${p.id}/members/${user.id}`, { access_level: 30 })
  expect([await shown(''), await shown('/-/issues')]).toEqual([true, true])
  expect(says((await new Visitor(w.url).get(page, HERE)).text)).toBe(false)
})

test('people and strangers hide a message where they may, and come back to their page', async () => {
  const p = await w.project({ visibility: 'public' })
  const page = `/${p.fullPath}/-/issues?state=all`
  const id = await tell(`/${p.fullPath}/*`, { dismissable: true })
  const other = await tell(`/${p.fullPath}/*`, { message: 'Coffee' })
  for (const visitor of [(await signedIn(w)).visitor, new Visitor(w.url)]) {
    const { text } = await visitor.get(page, HERE)
    const fields = { authenticity_token: csrfTokenIn(text), return_to: page }
    const dismiss = (which: number) => visitor.post(`/-/broadcast_messages/${which}/dismiss`, fields, HERE)
    expect(text).toContain(`action="/-/broadcast_messages/${id}/dismiss"`)
    const hidden = await dismiss(id)
    expect([hidden.status, hidden.headers.location]).toEqual([303, page])
    const after = (await visitor.get(page, HERE)).text
    expect([says(after), after.includes('Coffee')]).toEqual([false, true])
    expect((await dismiss(other)).status).toBe(404)
    expect((await dismiss(9_999_999)).status).toBe(404)
    const elsewhere = { ...fields, return_to: '//example.com' }
    const there = await visitor.post(`/-/broadcast_messages/${id}/dismiss`, elsewhere, HERE)
    expect(there.headers.location).toBe('/')
  }
})
