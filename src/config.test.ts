import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../test/program/forgelet.ts'
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
