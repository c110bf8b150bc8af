import { once } from 'node:events'
import { connect } from 'node:net'
import { fastify } from 'fastify'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { writeError } from '#platform/http/errors.ts'
import { until } from '#test/until.ts'
import { writeGitError } from './errors.ts'

it.each([
  ['of the API', writeError],
  ['of git', writeGitError],
])('the log counts no failure %s as one whose client has left', async (_, write) => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  const app = fastify({ loggerInstance: log })
  app.setErrorHandler(write)
  app.get('/left', async ({ raw }) => {
    client.destroy()
    await once(raw.socket, 'close')
    throw new Error('nobody reads this')
  })
  app.get('/defect', () => {
    throw new Error('a defect')
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
  client.write('GET /left HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const levelOf = (text: string): unknown => {
    const line = lines.find((one) => one.includes(text) && one.includes('request failed'))
    return line === undefined ? undefined : JSON.parse(line).level
  }
  await until(() => expect(levelOf('nobody reads this')).toBe(log.levels.values['debug']))
  expect((await fetch(`${url}/defect`)).status).toBe(500)
  expect(levelOf('a defect')).toBe(log.levels.values['error'])
  await app.close()
})
