import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '#test/world.ts'
import { SshClient } from './test-support.ts'

let own: World
let site: string
let client: SshClient
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  site = own.running.services.sshSite() ?? ''
  client = await SshClient.open()
  p = await own.project()
  await client.addTo(p.developer)
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await own.running.stop()
})

const urlOf = (path: string) => `${site}${path}.git`

describe('with a key of their own', () => {
  test('people are greeted by name, and get no shell', async () => {
    expect(await client.ssh(site, '-T')).toMatchObject({
      code: 0,
      out: `Welcome to Forgelet, @${p.developer.username}!\n`,
    })
    expect(await client.ssh(site, 'ls')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Forgelet: this server runs no shell and no other programs: use git.\n'),
    })
  })

  test('people push and clone', async () => {
    const first = await p.maintainer.post(`/projects/${p.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [{ action: 'create', file_path: 'b.txt', content: 'b' }],
    })
    expect(first.status).toBe(201)
    const work = await client.git.init(urlOf(p.fullPath), 'work')
    const head = await work.commit({ 'a.txt': 'a' })
    await work.run('push', 'origin', 'HEAD:feature')
    await work.run('push', 'origin', 'HEAD:gone')
    await work.run('push', 'origin', ':gone')
    const clone = await client.git.clone(urlOf(p.fullPath), 'clone', '--branch', 'feature')
    expect(await clone.id('HEAD')).toBe(head)
    const archive = await client.git.run([
      'archive',
      `--remote=${urlOf(p.fullPath)}`,
      '--format=tar',
      'feature',
    ])
    expect(archive).toContain('a.txt')
    const refused = await work.try('push', '--force', 'origin', 'HEAD:main')
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('Forgelet: You may not push to the protected branch main'),
    })
  })
})
