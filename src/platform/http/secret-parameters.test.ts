import { pino } from 'pino'
import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { w } from '#test/world.ts'
import { isSecretName, SecretParameters } from './secret-parameters.ts'

const withoutSecrets = (url: string) => new SecretParameters().without(url)

test.each([
  'private_token',
  'access_token',
  'job_token',
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

test('a page to go back to is shown unless its URL has secrets', () => {
  const [open, closed] = ['/-/projects/1?page=2', '/oauth/authorize?client_id=1&code=hush']
  expect(withoutSecrets(`/x?return_to=${encodeURIComponent(open)}`)).toContain('page%3D2')
  expect(withoutSecrets(`/x?return_to=${encodeURIComponent(closed)}`)).toBe('/x?return_to=[redacted]')
  expect(withoutSecrets(`/x?to=${encodeURIComponent('https://a.example/?private_token=hush')}`)).toBe(
    '/x?to=[redacted]',
  )
})

test('what a client makes of slashes and URLs within URLs costs next to nothing, and hides no request', async () => {
  const secrets = new SecretParameters()
  const spent = await cpuTime(() => {
    expect(secrets.without('/'.repeat(60_000))).toBe('/'.repeat(60_000))
    expect(secrets.without(`/-/liveness?${'a=/?'.repeat(1_900)}`)).toMatch(/^\/-\/liveness\?a=/)
  })
  expect(spent).toBeLessThan(500)
  let deep = '/y?token=hush'
  for (let depth = 0; depth < 6; depth += 1) deep = `/x?to=${encodeURIComponent(deep)}`
  expect(secrets.without(deep)).not.toContain('hush')
})

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly 'x-secret'?: boolean }>>
}

/** The secrets of every route, each in a URL, and where it is. */
const secrets = w.running.app.declaredRoutes.flatMap(({ method, url, schema }) => {
  const filled = (secret?: string) =>
    url.replace(/:(\w+)/g, (_, name: string) => (name === secret ? 'hush-hush' : '1'))
  const inPath = Object.entries((schema.params as Schema | undefined)?.properties ?? {})
  const inQuery = Object.entries((schema.querystring as Schema | undefined)?.properties ?? {})
  const isSecret = ([name, property]: (typeof inPath)[number]) =>
    property['x-secret'] === true || isSecretName(name)
  return [
    ...inPath
      .filter(([name, property]) => property['x-secret'] === true || /^(?:token|key|secret)$/.test(name))
      // The names of settings of webhooks and of variables are called keys.
      .filter(([name]) => !(name === 'key' && /\/(?:hooks|variables)\//.test(url)))
      .map(([name]) => [`${method} ${url}: ${name}`, method, filled(name)] as const),
    ...inQuery
      .filter(isSecret)
      .map(([name]) => [`${method} ${url}: ${name}`, method, `${filled()}?${name}=hush-hush`] as const),
  ]
})

test('every secret in a path or a query of a route stays out of the log, whatever becomes of the request', async () => {
  expect(secrets.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'GET /-/unsubscribe/:token: token',
      'POST /-/unsubscribe/:token: token',
      'GET /users/password/edit: reset_password_token',
      'GET /users/confirmation: confirmation_token',
    ]),
  )
  expect(secrets.some(([name]) => name.endsWith(': sentry_key'))).toBe(true)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const node = await w.another(log)
  try {
    for (const [, method, url] of secrets) {
      const variants = [url, `${url}/`, `/${url}`, url.replaceAll('-', '%2D')]
      for (const path of variants) await fetch(`${node.url}${path}`, { method, redirect: 'manual' })
      await fetch(`${node.url}${url}`, { method: 'OPTIONS' })
    }
    for (const query of ['sentry_key=hush-hush', 'private_token=hush-hush&a=1', 'feed_token=hush-hush'])
      await fetch(`${node.url}/nowhere?${query}`, { headers: { referer: `${node.url}/?${query}` } })
  } finally {
    await node.stop()
  }
  expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(secrets.length * 5)
  expect(lines.filter((line) => /hush/.test(line))).toEqual([])
  expect(lines.some((line) => line.includes('unsubscribe/[redacted]'))).toBe(true)
})
