import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { failure, tracked } from '../test-support.ts'
import { scrubText, scrubValue } from './scrub.ts'

describe('texts lose', () => {
  test.each([
    ['addresses of people', 'mail to ada.l+x@mail.example.org now', 'mail to [email] now'],
    ['cards', 'card 4111 1111 1111 1111 refused', 'card [card] refused'],
    ['cards without spaces', '4111111111111111', '[card]'],
    ['addresses', 'from 192.168.0.12:8080', 'from [ip]:8080'],
    ['addresses of version 6', 'from 2001:db8::ff00:42:8329 it came', 'from [ip] it came'],
    ['tokens', 'Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [Filtered]'],
    ['passwords in URLs', 'https://ada:geheim@db.example/x', 'https://[Filtered]@db.example/x'],
    ['secrets in queries', '/a?token=abc&b=1&password=x y', '/a?token=[Filtered]&b=1&password=[Filtered] y'],
    ['secrets in JSON', '{"api_key": "abc", "b": 1}', '{"api_key": "[Filtered]", "b": 1}'],
  ])('%s', (_, text, clean) => expect(scrubText(text)).toBe(clean))

  test.each([
    'Unexpected token < in JSON at position 0',
    'at 12:30:45',
    'version 1.2.3',
    '1234567890123456',
    'Foo::bar',
  ])('nothing else: %s', (text) => expect(scrubText(text)).toBe(text))
})

test('values lose what their names say is secret, at any depth', () => {
  expect(
    scrubValue({
      Authorization: 'x',
      Cookie: 'a=b',
      nested: { db_password: 1, list: [{ apiKey: 'x', fine: 'y' }], 'X-Forwarded-For': '1.2.3.4' },
      headers: [
        ['cookie', 'a'],
        ['accept', '*/*'],
      ],
      author: 'Ada',
      nothing: null,
    }),
  ).toEqual({
    Authorization: '[Filtered]',
    Cookie: '[Filtered]',
    nested: {
      db_password: '[Filtered]',
      list: [{ apiKey: '[Filtered]', fine: 'y' }],
      'X-Forwarded-For': '[Filtered]',
    },
    headers: [
      ['cookie', '[Filtered]'],
      ['accept', '*/*'],
    ],
    author: 'Ada',
    nothing: null,
  })
})

const personal = () =>
  failure('no card 4111111111111111 for ada@example.org', {
    user: { id: 'u1', email: 'ada@example.org', ip_address: '{{auto}}' },
    request: {
      url: 'https://shop.example/pay?session_id=hush',
      headers: { Cookie: 'a=b', Accept: '*/*' },
      data: { password: 'geheim' },
    },
    extra: { token: 'hush', count: 3 },
    tags: { server: '10.0.0.1' },
    breadcrumbs: { values: [{ message: 'GET /?token=hush', data: { authorization: 'Basic x' } }] },
  })

test('personal data is on no disk by default', async () => {
  const { report, expectErrors, errors, get } = await tracked(w)
  await report(personal())
  await expectErrors([{ title: 'TypeError: no card [card] for [email]', users_count: 1 }])
  const { latest_event: event } = await get((await errors())[0].id)
  expect(event).toMatchObject({
    user: { id: 'u1', email: '[Filtered]', ip_address: '[Filtered]' },
    request: { headers: { Cookie: '[Filtered]', Accept: '*/*' }, data: { password: '[Filtered]' } },
    extra: { token: '[Filtered]', count: 3 },
    tags: { server: '[ip]' },
    breadcrumbs: [{ message: 'GET /?token=[Filtered]', data: { authorization: '[Filtered]' } }],
  })
  // The id is random, and may have any digits.
  const told = JSON.stringify({ ...event, event_id: null })
  expect(told).not.toMatch(/geheim|ada@|4111|127\.0\.0\.1|hush/)
})

test('unless the project wants it', async () => {
  const { report, expectErrors, errors, get } = await tracked(w, { scrub_personal_data: false })
  await report(personal())
  await expectErrors([{ title: 'TypeError: no card 4111111111111111 for ada@example.org' }])
  expect((await get((await errors())[0].id)).latest_event).toMatchObject({
    user: { email: 'ada@example.org', ip_address: '127.0.0.1' },
    extra: { token: 'hush' },
  })
})
