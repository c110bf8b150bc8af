import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { badgeUrl } from './paths.ts'

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${w.url}/${path}`, { headers })
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
}

test('badges tell of the last pipeline of a branch, and escape what they are told to say', async () => {
  const p = await projectWithCi('job: { script: x }', { visibility: 'public' })
  const badge = `${p.fullPath}/badges/main/pipeline.svg`
  expect(await get(badge)).toMatchObject({
    status: 200,
    type: 'image/svg+xml; charset=utf-8',
    text: expect.stringContaining('pipeline: unknown'),
  })
  const { id } = await p.create()
  expect((await get(badge)).text).toContain('pipeline: pending')
  await p.finish(id, 'job', { status: 'success', coverage: 81 })
  expect((await get(badge)).text).toContain('pipeline: passed')
  expect((await get(`${p.fullPath}/-/badges/main/coverage.svg`)).text).toContain('coverage: 81.00%')
  expect((await get(`${p.fullPath}/badges/main/coverage.svg?job=none`)).text).toContain('unknown')
  const { text } = await get(`${badge}?key_text=%3Cscript%3E&key_width=90&style=flat-square`)
  expect(text).toContain('&lt;script&gt;: passed')
  expect(text).not.toContain('<script>')
  expect((await get(`${badge}?key_width=1000`)).status).toBe(400)
})

test('badges of what one may not see are not there', async () => {
  const p = await projectWithCi('job: { script: x }')
  const badge = `${p.fullPath}/badges/main/pipeline.svg`
  expect((await get(badge)).status).toBe(404)
  expect((await get(badge, { 'private-token': p.reporter.token })).status).toBe(200)
})

test.each([
  ['/a/b/badges/main/pipeline.svg', '/-/badges/a%2Fb/main/pipeline.svg'],
  ['/a/b/c/-/badges/x/y/coverage.svg?job=t', '/-/badges/a%2Fb%2Fc/x%2Fy/coverage.svg?job=t'],
  ['/a/b/badges/main/other.svg', '/a/b/badges/main/other.svg'],
  ['/api/v4/projects/1/badges/2', '/api/v4/projects/1/badges/2'],
])('the path %s leads to %s', (path, route) => {
  expect(badgeUrl(path)).toBe(route)
})
