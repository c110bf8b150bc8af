import { expect, it } from 'vitest'
import { w } from '#test/world.ts'
import { goGetUrl } from './paths.ts'

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
})

/** What `go` learns of a path. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${w.url}/${path}?go-get=1`, { headers })
  const body = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  return /<meta name="go-import" content="([^"]*)"/.exec(body)?.[1]
}

const moduleAt = (path: string) => `${w.url.replace('http://', '')}/${path} git ${w.url}/${path}.git`

async function deepProject(visibility: 'public' | 'private') {
  const group = await w.group({ visibility: 'public' })
  const subgroup = await w.group({ parent: group.id, visibility: 'public' })
  const project = await w.project({ parent: subgroup.id, visibility })
  return { project, simple: project.fullPath.split('/').slice(0, 2).join('/') }
}

it('tells in which project a package is, at any depth', async () => {
  const { project } = await deepProject('public')
  for (const path of ['', '/', '/pkg', '/pkg/deeper/v2', `/${'x/'.repeat(200)}`])
    expect(await ask(project.fullPath + path)).toBe(moduleAt(project.fullPath))
  expect(await ask(`${project.fullPath.toUpperCase()}/pkg`)).toBe(moduleAt(project.fullPath))
})

it('tells those who may not see a project what it tells of one that is not there', async () => {
  const { project, simple } = await deepProject('private')
  const revoked = await w.token(project.reporter, ['read_user'])
  for (const headers of [{}, basic(project.stranger.token), basic('wrong'), basic(revoked.secret)])
    expect(await ask(`${project.fullPath}/pkg`, headers)).toBe(moduleAt(simple))
  expect(await ask('no/such/project')).toBe(moduleAt('no/such'))
  const reading = await w.token(project.reporter, ['read_repository'])
  for (const headers of [
    basic(project.guest.token),
    basic(reading.secret),
    { 'private-token': project.reporter.token },
    { authorization: `Bearer ${project.reporter.token}` },
  ])
    expect(await ask(`${project.fullPath}/pkg`, headers)).toBe(moduleAt(project.fullPath))
})

it('asks the database once, whatever the path is', async () => {
  const { project } = await deepProject('public')
  const statements = await w.statements(() => ask(`${project.fullPath}/${'a/'.repeat(100)}`))
  expect(statements).toHaveLength(1)
})

it('escapes what is in the path', async () => {
  expect(await ask('a%22%3E%3Cscript%3E/b')).toBe(moduleAt('a&quot;&gt;&lt;script&gt;/b'))
})

it('leaves other requests alone', () => {
  for (const [method, url] of [
    ['POST', '/a/b?go-get=1'],
    ['GET', '/a/b'],
    ['GET', '/a?go-get=1'],
    ['GET', '/a/b?go-get=12'],
    ['GET', '/api/v4/projects?go-get=1'],
    ['GET', '/-/docs?go-get=1'],
    ['GET', '/%zz/b?go-get=1'],
  ] as const)
    expect(goGetUrl(url, method)).toBe(url)
  expect(goGetUrl('//a/b//c/?x=1&go-get=1', 'GET')).toBe('/-/go-get/a%2Fb%2Fc?x=1&go-get=1')
})
