import { describe, expect, it } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { cloneOf, fresh, git, projectWith, urlWith, withGit } from './test-support.ts'

withGit()

/** What git gets to see when it lists references. */
const list = (url: string) => git().try(['ls-remote', url])

/** A push of a new branch, from a clone that is up to date. */
async function pushAs(url: string, from: string) {
  const work = await git().init(from, fresh())
  await work.run('fetch', '--quiet', 'origin')
  return work.try('push', url, `origin/main:refs/heads/${fresh()}`)
}

const info = (path: string, headers: Record<string, string> = {}, service = 'git-upload-pack') =>
  fetch(`${w.url}/${path}.git/info/refs?service=${service}`, { headers, redirect: 'manual' })

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
})

describe('who may clone and push', () => {
  it('follows visibility and roles', async () => {
    for (const visibility of ['private', 'internal', 'public'] as const) {
      const { project, url } = await projectWith({ a: '1' }, { visibility })
      const reads = async (actor: Actor | undefined) =>
        (await list(urlWith(actor?.token, project.fullPath))).code === 0
      const pushes = async (actor: Actor) =>
        (await pushAs(urlWith(actor.token, project.fullPath), url)).code === 0
      expect(await reads(undefined)).toBe(visibility === 'public')
      expect(await reads(project.stranger)).toBe(visibility !== 'private')
      expect(await reads(project.guest)).toBe(visibility !== 'private')
      expect(await reads(project.reporter)).toBe(true)
      expect(await pushes(project.reporter)).toBe(false)
      expect(await pushes(project.developer)).toBe(true)
    }
  })

  it('follows the level of the repository', async () => {
    const { project } = await projectWith({ a: '1' }, { visibility: 'public' })
    await project.owner.put(`/projects/${project.id}`, { repository_access_level: 'private' })
    expect((await list(urlWith(undefined, project.fullPath))).code).not.toBe(0)
    const stranger = await list(urlWith(project.stranger.token, project.fullPath))
    expect(stranger.err).toContain('You are not allowed to download code from this project')
    expect((await list(urlWith(project.reporter.token, project.fullPath))).code).toBe(0)
    await project.owner.put(`/projects/${project.id}`, { repository_access_level: 'disabled' })
    expect((await list(urlWith(project.owner.token, project.fullPath))).code).not.toBe(0)
  })

  it('asks strangers for credentials, whether or not there is anything', async () => {
    const { project } = await projectWith({ a: '1' })
    for (const path of [project.fullPath, 'no/such']) {
      for (const service of ['git-upload-pack', 'git-receive-pack']) {
        const answer = await info(path, {}, service)
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
          401,
          'Basic realm="Forgelet", charset="UTF-8"',
        ])
      }
    }
    const hidden = await info(project.fullPath, basic(project.stranger.token))
    const absent = await info('no/such', basic(project.stranger.token))
    expect([hidden.status, await hidden.text()]).toEqual([absent.status, await absent.text()])
    expect(hidden.status).toBe(404)
  })

  it('refuses passwords with the sentence that tells people to make a token', async () => {
    const { project } = await projectWith({ a: '1' })
    const url = urlWith('a-password', project.fullPath)
    const { err } = await list(url)
    expect(err).toContain('remote: Git needs an access token')
    expect(err).toContain('Authentication failed')
  })

  it('follows the scopes of tokens', async () => {
    const { project, url } = await projectWith({ a: '1' })
    const table = [
      ['read_repository', true, false],
      ['write_repository', true, true],
      ['api', true, true],
      ['read_api', false, false],
      ['read_user', false, false],
    ] as const
    for (const [scope, reads, pushes] of table) {
      const { secret } = await w.token(project.developer, [scope])
      const there = urlWith(secret, project.fullPath)
      expect([scope, (await list(there)).code === 0]).toEqual([scope, reads])
      expect([scope, (await pushAs(there, url)).code === 0]).toEqual([scope, pushes])
    }
    const { secret } = await w.token(project.developer, ['read_api'])
    const answer = await info(project.fullPath, basic(secret))
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('It takes: read_repository'),
    ])
  })

  it('accepts bearer tokens, tokens of projects and groups, and refuses revoked ones', async () => {
    const { project } = await projectWith({ a: '1' })
    const bearer = await info(project.fullPath, { authorization: `Bearer ${project.reporter.token}` })
    expect(bearer.status).toBe(200)
    const made = await project.maintainer.post(`/projects/${project.id}/access_tokens`, {
      name: 'ci',
      scopes: ['write_repository'],
      access_level: 30,
      expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10),
    })
    expect(made.status).toBe(201)
    const url = urlWith(made.body.token, project.fullPath)
    expect((await list(url)).code).toBe(0)
    expect((await pushAs(url, url)).code).toBe(0)
    await project.maintainer.delete(`/projects/${project.id}/access_tokens/${made.body.id}`)
    const revoked = await list(url)
    expect(revoked.err).toContain('Token was revoked')
  })

  it('refuses people who are blocked', async () => {
    const { project } = await projectWith({ a: '1' })
    await w.root.post(`/users/${project.developer.id}/block`)
    const { err } = await list(urlWith(project.developer.token, project.fullPath))
    expect(err).toContain('Your account has been blocked')
  })

  it('takes no cookie of a browser', async () => {
    const { project } = await projectWith({ a: '1' })
    const { cookie } = await w.session(project.owner)
    expect((await info(project.fullPath, { cookie })).status).toBe(401)
  })
})

describe('deploy tokens', () => {
  const made = async (
    at: string,
    owner: Actor,
    scopes: readonly string[],
  ): Promise<{ username: string; token: string }> =>
    (await owner.post(`${at}/deploy_tokens`, { name: 'ci', scopes })).body
  const urlOf = ({ username, token }: { username: string; token: string }, path: string) =>
    `${w.url.replace('://', `://${username}:${token}@`)}/${path}.git`

  it('read the repository of their project, and push to none', async () => {
    const { project, url } = await projectWith({ a: '1' })
    const token = await made(`/projects/${project.id}`, project.maintainer, ['read_repository'])
    expect((await list(urlOf(token, project.fullPath))).code).toBe(0)
    const pushed = await pushAs(urlOf(token, project.fullPath), url)
    expect(pushed.err).toContain('Deploy tokens cannot push')
    const other = await projectWith({ a: '1' })
    expect((await list(urlOf(token, other.project.fullPath))).code).not.toBe(0)
    const wrong = await list(urlOf({ ...token, username: 'somebody' }, project.fullPath))
    expect(wrong.err).toContain('belongs to another username')
    await project.owner.put(`/projects/${project.id}`, { repository_access_level: 'disabled' })
    expect((await list(urlOf(token, project.fullPath))).code).not.toBe(0)
  })

  it('of a group read all projects below it', async () => {
    const group = await w.group()
    const { project } = await projectWith({ a: '1' }, { parent: group.id })
    const token = await made(`/groups/${group.id}`, group.owner, ['read_repository'])
    expect((await list(urlOf(token, project.fullPath))).code).toBe(0)
    await project.owner.put(`/projects/${project.id}`, { path: `moved-${project.id}` })
    const { err, code } = await list(urlOf(token, project.fullPath))
    expect([code, err]).toEqual([0, expect.stringContaining('redirecting')])
  })

  it('need the scope', async () => {
    const { project } = await projectWith({ a: '1' })
    const token = await made(`/projects/${project.id}`, project.maintainer, ['read_virtual_registry'])
    expect((await list(urlOf(token, project.fullPath))).err).toContain('needs the scope read_repository')
  })
})

describe('projects that are not as they were', () => {
  it('are found after a rename, and pushes follow', async () => {
    const { project, url, head } = await projectWith({ a: '1' })
    const clone = await cloneOf(url)
    await project.owner.put(`/projects/${project.id}`, { path: 'renamed' })
    const { err, code } = await clone.try('fetch', 'origin')
    expect([code, err]).toEqual([0, expect.stringContaining('redirecting to')])
    await clone.commit({ b: '1' })
    expect((await clone.try('push', 'origin', 'main')).code).toBe(0)
    const now = `${project.fullPath.split('/')[0]}/renamed`
    expect(await git().run(['ls-remote', urlWith(project.owner.token, now)])).not.toContain(`${head}\tHEAD`)
    const stranger = await info(project.fullPath, basic(project.stranger.token))
    expect(stranger.status).toBe(404)
  })

  it('cannot be pushed to while archived', async () => {
    const { project, work, url } = await projectWith({ a: '1' })
    await project.owner.post(`/projects/${project.id}/archive`)
    const { err, code } = await work.try('push', 'origin', 'main:more')
    expect([code, err]).toEqual([128, expect.stringContaining('remote: This project is archived')])
    expect((await list(url)).code).toBe(0)
  })

  it('cannot be pushed to while read-only', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const set = (because: string | null) =>
      w.db
        .updateTable('repositories')
        .set({ read_only_because: because })
        .where('project_id', '=', project.id)
        .execute()
    await set('It moves to another storage')
    const { err } = await work.try('push', 'origin', 'main:more')
    expect(err).toContain('remote: The repository is temporarily read-only. Please try again later.')
    await set(null)
    expect((await work.try('push', 'origin', 'main:more')).code).toBe(0)
  })

  it('are gone at once when deleted', async () => {
    const { project, url } = await projectWith({ a: '1' })
    await project.owner.delete(`/projects/${project.id}`)
    expect((await list(url)).code).not.toBe(0)
  })
})

describe('hostile URLs', () => {
  it.each([
    '/../../etc/passwd/info/refs?service=git-upload-pack',
    '/%2e%2e/%2e%2e/x.git/info/refs?service=git-upload-pack',
    '/a%00b.git/info/refs?service=git-upload-pack',
    '/--upload-pack=x.git/info/refs?service=git-upload-pack',
    '/%FF%FE.git/info/refs?service=git-upload-pack',
    '/a.git/b.git/info/refs?service=git-upload-pack',
    `/${'a/'.repeat(2_000)}b.git/info/refs?service=git-upload-pack`,
    '/-/git/%2e%2e%2fx/info/refs?service=git-upload-pack',
    '/.git/info/refs?service=git-upload-pack',
    '/info/refs?service=git-upload-pack',
  ])('such as %.60s are nobody and nothing', async (path) => {
    const answer = await w.anonymous.send('GET', `${w.url}${path}`)
    expect([400, 401, 404]).toContain(answer.status)
    const known = await w.anonymous.send('GET', `${w.url}${path}`, { headers: basic(w.root.token) })
    expect([400, 404]).toContain(known.status)
  })
})

describe('requests that are no git', () => {
  it('are refused with a reason', async () => {
    const { project } = await projectWith({ a: '1' }, { visibility: 'public' })
    const at = `${w.url}/${project.fullPath}.git`
    expect((await fetch(`${at}/info/refs`)).status).toBe(403)
    expect((await fetch(`${at}/info/refs?service=git-annihilate`)).status).toBe(403)
    const post = (service: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`${at}/${service}`, {
        method: 'POST',
        headers: { ...basic(project.owner.token), ...headers },
        body,
      })
    expect((await post('git-upload-pack', '0000')).status).toBe(415)
    const type = (service: string) => ({ 'content-type': `application/x-${service}-request` })
    expect((await post('git-receive-pack', 'zzzz', type('git-receive-pack'))).status).toBe(400)
    expect((await post('git-receive-pack', '0000', type('git-receive-pack'))).status).toBe(200)
    expect(
      (await post('git-receive-pack', '0000', { ...type('git-receive-pack'), 'content-encoding': 'br' }))
        .status,
    ).toBe(415)
    expect((await fetch(`${at}/git-upload-pack`)).status).toBe(405)
    expect((await fetch(`${at}/HEAD`)).status).toBe(404)
  })
})
