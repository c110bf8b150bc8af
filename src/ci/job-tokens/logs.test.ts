import { pino } from 'pino'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { withRunningJob } from './test-support.ts'

test('the log of the server has the token of a job nowhere, however it was sent', async () => {
  const p = await withRunningJob()
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const node = await w.another(log)
  const basic = `Basic ${Buffer.from(`gitlab-ci-token:${p.token}`).toString('base64')}`
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${node.url}${path}`, init)
    await answer.arrayBuffer()
    return answer.status
  }
  try {
    expect(await send('/api/v4/job', { headers: { 'job-token': p.token } })).toBe(200)
    expect(await send(`/api/v4/job?job_token=${p.token}`)).toBe(200)
    expect(await send(`/api/v4/user?job_token=${p.token}`)).toBe(401)
    expect(await send(`/api/v4/nowhere?job_token=${p.token}`)).toBe(404)
    expect(
      await send(`/api/v4${p.base}/trigger/pipeline?ref=main&token=${p.token}`, { method: 'POST' }),
    ).toBe(201)
    const refs = `/${p.fullPath}.git/info/refs?service=`
    expect(await send(`${refs}git-upload-pack`, { headers: { authorization: basic } })).toBe(200)
    expect(await send(`${refs}git-receive-pack`, { headers: { authorization: basic } })).toBe(403)
  } finally {
    await node.stop()
  }
  expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThanOrEqual(7)
  expect(lines.filter((line) => line.includes(p.token) || line.includes(basic))).toEqual([])
})
