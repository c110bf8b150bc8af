import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { dropDatabase, newBareDatabase, urlOf } from '#test/new-database.ts'
import { tree } from '#test/tree.ts'
import { folder, forgelet, READY } from './forgelet.ts'

const git = (...args: string[]) =>
  spawnSync('git', args, { cwd: tree, encoding: 'utf8', maxBuffer: 1e9 }).stdout.trim()
/** The last version without SSH, if this checkout has the history. */
const [first = ''] = git('log', '--diff-filter=A', '--format=%H', '--', 'src/code/git-ssh/listen.ts')
  .split('\n')
  .slice(-1)
const before = first === '' ? '' : git('rev-parse', '--quiet', '--verify', `${first}^`)
if (before === '') console.warn('SKIPPED: no history here, so no earlier version is upgraded to SSH and LFS')

/** The main file of that version, with the packages of this one. */
function earlierProgram(): string {
  const path = folder()
  const archive = execFileSync('git', ['archive', before, 'src', 'scripts', 'package.json'], {
    cwd: tree,
    maxBuffer: 1e9,
  })
  execFileSync('tar', ['-x', '-C', path], { input: archive })
  symlinkSync(join(tree, 'node_modules'), join(path, 'node_modules'))
  return join(path, 'src/main.ts')
}

describe.skipIf(before === '')('an instance that is upgraded node by node', { timeout: 600_000 }, () => {
  test('offers SSH and LFS on the new node while the old one still serves, and knows the keys from before', async () => {
    const database = await newBareDatabase()
    onTestFinished(() => dropDatabase(database))
    const shared = folder()
    const environment = (name: string) => {
      mkdirSync(join(shared, name))
      return {
        FORGELET_DATA: join(shared, name),
        FORGELET_DATABASE_URL: urlOf(database),
        FORGELET_DATABASE_CONNECTIONS: '8',
        FORGELET_STORAGES: `default=${join(shared, 'repositories')}`,
        FORGELET_SECRET_KEY: 'the-secret-key-of-an-instance-with-two-nodes',
        FORGELET_ROOT_TOKEN: ROOT_TOKEN,
      }
    }
    const openSsh = { FORGELET_SSH_ADDRESS: '127.0.0.1:0' }
    const start = async (name: string, more: NodeJS.Dict<string>, main?: string) => {
      const program = forgelet(['serve'], { ...environment(name), ...more }, main)
      const url = await program.saying(READY)
      const root = new Client(url, { 'private-token': ROOT_TOKEN })
      return { program, root, http: url.replace('//', `//root:${ROOT_TOKEN}@`) }
    }

    const old = await start('old', {}, earlierProgram())
    await using person = await SshClient.open()
    await using machine = await SshClient.open()
    const made = await old.root.post('/projects', { name: 'kept', initialize_with_readme: true })
    const project = `/projects/${made.body.id}`
    expect(await old.root.post('/user/keys', { title: 'Before', key: person.publicKey })).toMatchObject({
      status: 201,
    })
    const deployKey = { title: 'Machine', key: machine.publicKey, can_push: false }
    expect(await old.root.post(`${project}/deploy_keys`, deployKey)).toMatchObject({ status: 201 })

    const young = await start('young', openSsh)
    // The old node has told people nothing of SSH, and need not.
    const { body } = await young.root.get(project)
    const url: string = body.ssh_url_to_repo
    const site = new URL('/', url).href
    expect(await person.ssh(site, '-T')).toMatchObject({ code: 0, out: 'Welcome to Forgelet, @root!\n' })
    const work = await person.git.clone(url, 'work')
    const pushed = await work.commit({ 'over-ssh': 'a' })
    await work.run('push', '--quiet', 'origin', 'HEAD:main')

    // What comes over SSH is seen on the old node, and the other way round.
    const seen = await old.root.get(`${project}/repository/branches/main`)
    expect(seen).toMatchObject({ status: 200, body: { commit: { id: pushed } } })
    const overHttp = await person.git.clone(`${old.http}/root/kept.git`, 'over-http')
    expect(await overHttp.id('HEAD')).toBe(pushed)
    const answered = await overHttp.commit({ 'over-http': 'b' })
    await overHttp.run('push', '--quiet', 'origin', 'HEAD:main')
    expect(await old.root.post(`${project}/issues`, { title: 'From the old node' })).toMatchObject({
      status: 201,
    })
    const byMachine = await machine.git.clone(url, 'by-machine')
    expect(await byMachine.id('HEAD')).toBe(answered)
    const refused = await byMachine.try('push', '--quiet', 'origin', 'HEAD:refs/heads/more')
    expect(refused.err).toContain('This deploy key may only read this project.')

    // LFS is found by the same key.
    const lfs = await person.ssh(site, 'git-lfs-authenticate', 'root/kept.git', 'upload')
    expect(lfs.code).toBe(0)
    const { href, header } = JSON.parse(lfs.out) as { href: string; header: Record<string, string> }
    const content = Buffer.from('large')
    const oid = createHash('sha256').update(content).digest('hex')
    const batch = await fetch(`${href}/objects/batch`, {
      method: 'POST',
      headers: { ...header, 'content-type': 'application/vnd.git-lfs+json' },
      body: JSON.stringify({ operation: 'upload', objects: [{ oid, size: content.length }] }),
    })
    expect(batch.status).toBe(200)

    // A key that is added on the old node counts on the new one at once.
    await using late = await SshClient.open()
    const { status } = await old.root.post('/user/keys', { title: 'Late', key: late.publicKey })
    expect([status, (await late.ssh(site, '-T')).code]).toEqual([201, 0])

    old.program.process.kill('SIGTERM')
    expect(await old.program.ended).toBe(0)
    const second = await start('second', openSsh)
    const there: string = (await second.root.get(project)).body.ssh_url_to_repo
    const clone = await person.git.clone(there, 'from-the-second')
    expect(await clone.id('HEAD')).toBe(answered)
  })
})
