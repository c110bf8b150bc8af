import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '#test/program/forgelet.ts'
import { readConfig } from './config.ts'

describe('FORGELET_REDIS_URL', () => {
  test.each([
    'redis://127.0.0.1',
    'redis://user:password@redis.example.com:6379/0',
    'rediss://:secret@[::1]:6380/2',
  ])('may be %s, also in a file', (url) => {
    const file = join(folder(), 'url')
    writeFileSync(file, `${url}\n`)
    expect(readConfig({ FORGELET_REDIS_URL: url }).redisUrl).toBe(url)
    expect(readConfig({ FORGELET_REDIS_URL_FILE: file }).redisUrl).toBe(url)
  })

  test('is undefined unless set', () => {
    expect(readConfig({}).redisUrl).toBeUndefined()
  })

  test.each(['', 'localhost:6379', 'http://secret@127.0.0.1', 'redis://:secret@127.0.0.1:port'])(
    'is not %j, and what it is not is never shown',
    (url) => {
      const read = () => readConfig({ FORGELET_REDIS_URL: url })
      expect(read).toThrow(/^FORGELET_REDIS_URL: its value is not accepted/)
      expect(read).not.toThrow(/secret/)
    },
  )
})

describe('FORGELET_SMTP_URL', () => {
  const read = (url: string) => readConfig({ FORGELET_SMTP_URL: url }).smtpUrl

  test.each([
    ['smtp://mail.example.com', { port: 587, tls: 'offered', connections: 5, timeout: 30_000 }],
    ['smtp://me:p%40ss@mail.example.com:25', { port: 25, tls: 'required', user: 'me', password: 'p@ss' }],
    ['smtps://me@[::1]', { host: '::1', port: 465, tls: 'implicit' }],
    ['smtp://localhost?tls=none&connections=2&timeout=5', { tls: 'none', connections: 2, timeout: 5_000 }],
  ])('may be %s', (url, expected) => {
    expect(read(url)).toMatchObject(expected)
  })

  test.each([
    '',
    'mail.example.com',
    'http://secret@mail.example.com',
    'smtp://',
    'smtp://secret@host/path',
    'smtp://secret@host?unknown=1',
    'smtp://secret@host?tls=maybe',
    'smtps://secret@host?tls=none',
    'smtp://secret@host?connections=0',
    'smtp://secret%ZZ@host',
  ])('is not %j, and what it is not is never shown', (url) => {
    expect(() => read(url)).toThrow(/^FORGELET_SMTP_URL: its value is not accepted/)
    expect(() => read(url)).not.toThrow(/secret/)
  })

  test('comes from somebody', () => {
    const from = (FORGELET_MAIL_FROM: string) => readConfig({ FORGELET_MAIL_FROM }).mailFrom
    expect(from('a@example.com')).toEqual({ name: '', address: 'a@example.com' })
    expect(from('"The Forge" <a@example.com>')).toEqual({ name: 'The Forge', address: 'a@example.com' })
    expect(() => from('nobody')).toThrow(/FORGELET_MAIL_FROM/)
    expect(() => from('a@example.com, b@example.com')).toThrow(/FORGELET_MAIL_FROM/)
  })
})

test('a spam service needs its key, and a CAPTCHA service all of its parts', () => {
  const url = 'https://example.com'
  expect(() => readConfig({ FORGELET_SPAM_URL: url })).toThrow(/need each other/)
  expect(() => readConfig({ FORGELET_CAPTCHA_URL: url, FORGELET_CAPTCHA_SITE_KEY: 'key' })).toThrow(
    /need each other/,
  )
})

describe('FORGELET_BLOBS', () => {
  const keys = { FORGELET_BLOBS_ACCESS_KEY: 'key', FORGELET_BLOBS_SECRET: 'secret' }
  const read = (FORGELET_BLOBS: string) => readConfig({ FORGELET_BLOBS, ...keys }).blobs

  test('names a bucket of Amazon, by its region', () => {
    expect(read('s3://my-bucket?region=eu-central-1')).toEqual({
      bucket: 'my-bucket',
      prefix: '',
      endpoint: undefined,
      region: 'eu-central-1',
      pathStyle: false,
      signedUrls: false,
      readOnly: false,
      timeout: 15,
    })
  })

  test('names a bucket of another server, with what it needs', () => {
    const options = 'endpoint=https://s3.example.com:9000/&signed_urls=true&read_only=true&timeout=60'
    expect(read(`s3://my.bucket/for/forgelet/?${options}`)).toEqual({
      bucket: 'my.bucket',
      prefix: 'for/forgelet',
      endpoint: 'https://s3.example.com:9000',
      region: 'us-east-1',
      pathStyle: true,
      signedUrls: true,
      readOnly: true,
      timeout: 60,
    })
    expect(read('s3://bucket?endpoint=http://localhost&path_style=false')?.pathStyle).toBe(false)
  })

  test.each([
    '',
    'bucket',
    's3://',
    's3://B',
    's3://bucket/../other',
    's3://bucket/a//b',
    's3://key:secret@bucket',
    's3://bucket?endpoint=ftp://example.com',
    's3://bucket?endpoint=https://user:password@example.com',
    's3://bucket?path_style=yes',
    's3://bucket?timeout=0',
    's3://bucket?region=a&region=b',
    's3://bucket?wrong=1',
    's3://bucket#x',
  ])('is not %j', (text) => {
    expect(() => read(text)).toThrow(/^FORGELET_BLOBS: .* is not accepted/)
  })

  test('needs keys: its own, in a file, or under the names that other programs use', () => {
    const FORGELET_BLOBS = 's3://bucket'
    expect(() => readConfig({ FORGELET_BLOBS, FORGELET_BLOBS_ACCESS_KEY: 'key' })).toThrow(/needs/)
    const file = join(folder(), 'secret')
    writeFileSync(file, 'in a file\n'.replaceAll(' ', '-'))
    const others = { AWS_ACCESS_KEY_ID: 'theirs', AWS_SECRET_ACCESS_KEY: 'too' }
    expect(readConfig({ FORGELET_BLOBS, ...others })).toMatchObject({
      blobsAccessKey: 'theirs',
      blobsSecret: 'too',
    })
    expect(
      readConfig({ FORGELET_BLOBS, ...others, ...keys, FORGELET_BLOBS_SECRET: undefined }),
    ).toMatchObject({
      blobsAccessKey: 'key',
      blobsSecret: 'too',
    })
    const fromFile = { ...others, FORGELET_BLOBS_SECRET_FILE: file }
    expect(readConfig({ FORGELET_BLOBS, ...fromFile }).blobsSecret).toBe('in-a-file')
  })
})

describe('FORGELET_TRUSTED_PROXIES', () => {
  const read = (text: string) => readConfig({ FORGELET_TRUSTED_PROXIES: text }).trustedProxies

  test('names addresses and ranges, and nobody unless it is set', () => {
    expect(read('192.0.2.7, 10.42.0.0/16,::1')).toEqual(['192.0.2.7', '10.42.0.0/16', '::1'])
    expect([readConfig({}).trustedProxies, read('')]).toEqual([[], []])
  })

  test.each(['0.0.0.0/0', '192.0.2.7,::/0', '10.0.0.0/00', '*', 'proxy.example.com'])(
    'is not %s, which would believe everybody or nobody',
    (text) => {
      expect(() => read(text)).toThrow(/^FORGELET_TRUSTED_PROXIES: .*is not accepted/)
    },
  )
})
