import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { ownPath } from './own-path.ts'

test.each([
  '/',
  '/-/user_settings/password',
  '/oauth/authorize?client_id=1&redirect_uri=https%3A%2F%2Fapp.example%2Fcb',
  '/group%2Fproject?page=2#top',
])('%s is a path to return to', (path) => {
  expect(ownPath(path)).toBe(path)
})

test.each([
  undefined,
  '',
  'evil.example',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  '/\0',
])('%j leads to the start instead', (path) => {
  expect(ownPath(path)).toBe('/')
})

test('a path beyond ASCII can stand in a header', () => {
  expect(ownPath('/ü?é#à')).toBe('/%C3%BC?%C3%A9#%C3%A0')
})

test('who is signed in goes on at once, and only to this instance', async () => {
  const { visitor, username, password } = await signedIn(w)
  const wanted = (path: string) => visitor.get(`/users/sign_in?return_to=${encodeURIComponent(path)}`)
  expect((await wanted('/-/docs')).headers.location).toBe('/-/docs')
  expect((await wanted('//evil.example')).headers.location).toBe('/')
  const form = { login: username, password, return_to: 'https://evil.example' }
  expect((await visitor.submit('/', '/users/sign_in', form)).headers.location).toBe('/')
})
