import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noGitLfs } from '#test/git-lfs.ts'
import { openWorld, unique, w, type World } from '#test/world.ts'
import { cloneOf, fresh, git, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { SshClient } from '#code/git-ssh/test-support.ts'
import type { Clone } from '#test/git-client.ts'

withGit()
const missing = noGitLfs()
beforeAll(() => {
  if (missing !== undefined) console.warn(`skipped: ${missing}`)
})

const MEGABYTE = 1024 * 1024

/** Makes a clone use LFS for `*.bin`, by this version of the client's own commands. */
async function track(work: Clone): Promise<void> {
  await work.run('lfs', 'install', '--local')
  await work.run('config', 'lfs.locksverify', 'false')
  await work.run('lfs', 'track', '*.bin')
}

/** Commits a large file. @returns its bytes */
async function commitLarge(work: Clone, name: string, size = MEGABYTE): Promise<Buffer> {
  const bytes = randomBytes(size)
  await writeFile(join(work.folder, name), bytes)
  await work.run('add', '.')
  await work.run('commit', '--quiet', '--message', unique('Large'))
  return bytes
}

const contentOf = (work: Clone, name: string) => readFile(join(work.folder, name))

describe.skipIf(missing !== undefined)('the client of Git LFS', () => {
  test('pushes large files, clones, pulls and fetches them', async () => {
    const { project, work, url } = await projectWith({ a: 'a' })
    await track(work)
    const bytes = await commitLarge(work, 'one.bin')
    await work.run('push', '--quiet', 'origin', 'main')
    const stored = await project.reporter.get(`/projects/${project.id}/repository/files/one.bin/raw?ref=main`)
    expect(stored.text).toMatch(/^version https:\/\/git-lfs/)

    const clone = await cloneOf(urlWith(project.reporter.token, project.fullPath))
    await clone.run('lfs', 'install', '--local')
    await clone.run('lfs', 'pull')
    expect((await contentOf(clone, 'one.bin')).equals(bytes)).toBe(true)
    const second = await commitLarge(work, 'two.bin')
    await work.run('push', '--quiet', url, 'main')
    await clone.run('pull', '--quiet')
    expect((await contentOf(clone, 'two.bin')).equals(second)).toBe(true)
    expect(await clone.run('lfs', 'ls-files')).toMatch(/one\.bin\n.*two\.bin/)
    expect(await clone.run('lfs', 'fsck')).toContain('Git LFS fsck OK')
  })

  test('is told why a push without its objects is refused, and what to do', async () => {
    const { work } = await projectWith({ a: 'a' })
    await track(work)
    await commitLarge(work, 'one.bin', 1000)
    const refused = await work.try('-c', 'core.hooksPath=/nowhere', 'push', 'origin', 'main')
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /remote: Forgelet: LFS objects are missing, such as [0-9a-f]{64}\. Is Git LFS set up\?/,
      ),
    })
    await work.run('lfs', 'push', '--all', 'origin')
    expect(await work.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  test('shows the limits of this server to the person', async () => {
    const { work } = await projectWith({ a: 'a' })
    await track(work)
    await commitLarge(work, 'one.bin', MEGABYTE + 1)
    try {
      await w.root.put('/application/settings', { max_lfs_object_size: 1 })
      const large = await work.try('push', 'origin', 'main')
      expect(large.code).not.toBe(0)
      expect(large.err).toContain('The object is larger than 1 MB, the maximum on this server.')
      await w.root.put('/application/settings', { max_lfs_object_size: 0, max_lfs_project_size: 1 })
      const full = await work.try('push', 'origin', 'main')
      expect(full.code).not.toBe(0)
      expect(full.err).toContain('The LFS objects of this project would take more than 1 MB')
    } finally {
      await w.root.put('/application/settings', { max_lfs_object_size: 5_120, max_lfs_project_size: 0 })
    }
  })

  test('goes on after an interrupted upload and an interrupted download', async () => {
    const { project, work } = await projectWith({ a: 'a' })
    await track(work)
    const bytes = await commitLarge(work, 'one.bin', 8 * MEGABYTE)
    await using cutting = await CuttingProxy.open(Number(new URL(w.url).port), 3 * MEGABYTE)
    const through = (token: string) =>
      urlWith(token, project.fullPath).replace(new URL(w.url).host, `127.0.0.1:${cutting.port}`)
    await work.run('config', 'lfs.transfer.maxretries', '1')
    const cut = await work.try('push', through(project.maintainer.token), 'main')
    expect(cut.code).not.toBe(0)
    await work.run('push', '--quiet', 'origin', 'main')

    const clone = await git().init(through(project.reporter.token), fresh())
    await clone.run('lfs', 'install', '--local')
    await clone.run('config', 'lfs.transfer.maxretries', '5')
    // Each try is cut after three megabytes, and the next one asks for the rest.
    cutting.limit = 3 * MEGABYTE
    await clone.run('pull', '--quiet', 'origin', 'main')
    expect((await contentOf(clone, 'one.bin')).equals(bytes)).toBe(true)
    expect(cutting.cuts).toBeGreaterThan(1)
  })
})

describe.skipIf(missing !== undefined)('the client of Git LFS over SSH', () => {
  let own: World
  let client: SshClient
  let site: string

  beforeAll(async () => {
    own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
    site = own.running.services.sshSite() ?? ''
    client = await SshClient.open()
  })
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await own.running.stop()
  })

  test('gets a credential for half an hour by git-lfs-authenticate', async () => {
    const place = await own.project()
    await client.addTo(place.maintainer)
    const url = `${site}${place.fullPath}.git`
    const work = await client.git.init(url, 'lfs')
    await track(work)
    const bytes = await commitLarge(work, 'one.bin')
    await work.run('push', '--quiet', 'origin', 'main')
    const clone = await client.git.clone(url, 'lfs-clone')
    await clone.run('lfs', 'install', '--local')
    await clone.run('lfs', 'pull')
    expect((await contentOf(clone, 'one.bin')).equals(bytes)).toBe(true)

    const asked = await client.ssh(site, 'git-lfs-authenticate', place.fullPath, 'download')
    const { href, header, expires_in } = JSON.parse(asked.out)
    expect([href, expires_in]).toEqual([`${own.url}/${place.fullPath}.git/info/lfs`, 1800])
    const ask = (operation: string, path = place.fullPath) =>
      fetch(`${own.url}/${path}.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers: { ...header, 'content-type': 'application/vnd.git-lfs+json' },
        body: JSON.stringify({ operation, objects: [] }),
      })
    expect((await ask('download')).status).toBe(200)
    // It is for downloads, for this project, and good only as long as the key is.
    expect((await ask('upload')).status).toBe(401)
    const other = await own.project()
    await own.member(other.namespaceId, place.maintainer, 40)
    expect((await ask('download', other.fullPath)).status).toBe(401)
    // An old credential makes no project where its own is gone.
    expect(
      await client.ssh(site, 'git-lfs-authenticate', `${place.maintainer.username}/new`, 'upload'),
    ).toMatchObject({
      code: 1,
      err: expect.stringContaining('Project Not Found'),
    })
    expect((await place.maintainer.get(`/projects/${place.maintainer.username}%2Fnew`)).status).toBe(404)
    await own.db.deleteFrom('ssh_keys').where('user_id', '=', place.maintainer.id).execute()
    expect((await ask('download')).status).toBe(401)
  })

  test('is given to deploy keys, for what they may do', async () => {
    const place = await own.project()
    await using machine = await SshClient.open()
    const key = { title: 'ci', key: machine.publicKey, can_push: false }
    const { id } = (await place.maintainer.post(`/projects/${place.id}/deploy_keys`, key)).body
    const refused = await machine.ssh(site, 'git-lfs-authenticate', place.fullPath, 'upload')
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('This deploy key may only read') })
    await place.maintainer.put(`/projects/${place.id}/deploy_keys/${id}`, { can_push: true })
    const first = { branch: 'main', content: 'a', commit_message: 'Add a' }
    await place.maintainer.post(`/projects/${place.id}/repository/files/a`, first)
    const work = await machine.git.init(`${site}${place.fullPath}.git`, 'machine')
    await track(work)
    const bytes = await commitLarge(work, 'one.bin')
    await work.run('push', '--quiet', 'origin', 'main:large')
    await place.maintainer.put(`/projects/${place.id}/deploy_keys/${id}`, { can_push: false })
    const clone = await machine.git.clone(`${site}${place.fullPath}.git`, 'machine-clone', '--branch=large')
    await clone.run('lfs', 'install', '--local')
    await clone.run('lfs', 'pull')
    expect((await contentOf(clone, 'one.bin')).equals(bytes)).toBe(true)
  })

  test('is refused for another operation, and where LFS is off', async () => {
    const place = await own.project()
    await client.addTo(place.maintainer)
    expect(await client.ssh(site, 'git-lfs-authenticate', place.fullPath, 'delete')).toMatchObject({
      code: 1,
      err: expect.stringContaining('git-lfs-authenticate takes a path and download or upload'),
    })
    await place.owner.put(`/projects/${place.id}`, { lfs_enabled: false })
    expect(await client.ssh(site, 'git-lfs-authenticate', place.fullPath, 'upload')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Git LFS is switched off in this project.'),
    })
  })
})

/** Passes connections on, and cuts each after some bytes in one direction. */
class CuttingProxy implements AsyncDisposable {
  limit: number
  cuts = 0
  readonly #server = createServer((from) => {
    const to = connect(this.#port, '127.0.0.1')
    for (const [a, b] of [
      [from, to],
      [to, from],
    ] as const) {
      let passed = 0
      a.on('data', (piece) => {
        passed += piece.length
        b.write(piece)
        if (passed < this.limit) return
        this.cuts += 1
        a.destroy()
        b.end()
      })
      a.on('error', () => b.destroy())
      a.on('close', () => b.end())
    }
  })
  readonly #port: number

  private constructor(port: number, limit: number) {
    this.#port = port
    this.limit = limit
  }

  static async open(port: number, limit: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port, limit)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    const { port } = this.#server.address() as AddressInfo
    return port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
  }
}
