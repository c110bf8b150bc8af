import { expect, test } from 'vitest'
import { withoutSecrets } from './log.ts'

test.each([
  'private_token',
  'access_token',
  'token',
  'authenticity_token',
  'password',
  'current_password',
  'new_password',
  'password_confirmation',
  'user[password]',
  'user%5Bcurrent_password%5D',
  'client_secret',
  'webhook_secret[]',
  'code',
  'device_code',
  'code_verifier',
  'private_key',
  'client_assertion',
  'otp_attempt',
  'license',
  'PASSWORD',
])('the log has no value of %s', (name) => {
  expect(withoutSecrets(`/x?page=1&${name}=hush&b=2`)).toBe(`/x?page=1&${name}=[redacted]&b=2`)
})

test('the log has no names and passwords of URLs', () => {
  const url = encodeURIComponent('https://me:hush@example.com/x.git')
  expect(withoutSecrets(`/x?import_url=${url}`)).toBe('/x?import_url=[redacted]')
})

test('what is no secret is shown as it came', () => {
  for (const url of [
    '/x',
    '/x?',
    '/x?a=1&b',
    '/x?search=a%20b&author_code=5&key=1&email=me@example.com',
    '/x?=1',
  ])
    expect(withoutSecrets(url)).toBe(url)
})
