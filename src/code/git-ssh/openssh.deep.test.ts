import { mkdtemp, rm } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sshd, noSshd } from '#test/sshd.ts'
import { openWorld, type World } from '#test/world.ts'
import { SshClient } from './test-support.ts'

const run = promisify(execFile)
const reason = noSshd()

let own: World
let folder: string
let sshd: Sshd | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-ssh-'))
  const socket = join(folder, 'socket')
  own = await openWorld(undefined, undefined, {
    FORGELET_SSH_ADDRESS: '127.0.0.1:0',
    FORGELET_SSH_SOCKET: socket,
  })
  sshd = reason === undefined ? await Sshd.open(socket) : undefined
})
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]()
  await own.running.stop()
  await rm(folder, { recursive: true, force: true })
})

const ownDoor = () => own.running.services.sshSite() ?? ''
const openssh = () => sshd?.site ?? ''
const greeting = ({ username }: { readonly username: string }) => `Welcome to Forgelet, @${username}!\n`

describe.each(['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'] as const)(
  'with a security key (%s)',
  (type) => {
    test.skipIf(reason !== undefined)('people sign in, clone and push through OpenSSH', async () => {
      const p = await own.project()
      await using client = await SshClient.withSecurityKey(type)
      await client.addTo(p.maintainer)
      expect(await client.ssh(openssh(), '-T')).toMatchObject({ code: 0, out: greeting(p.maintainer) })
      const url = `${openssh()}${p.fullPath}.git`
      const work = await client.git.init(url, 'work')
      const head = await work.commit({ a: 'a' })
      await work.run('push', '--quiet', 'origin', 'HEAD:main')
      const clone = await client.git.clone(url, 'clone')
      expect(await clone.id('HEAD')).toBe(head)
      expect(client.agent.signatures).toBe(3)
    })

    test("the server's own door lets nobody in", async () => {
      const person = await own.user()
      await using client = await SshClient.withSecurityKey(type)
      await client.addTo(person)
      const { code, out, err } = await client.ssh(ownDoor(), '-v', '-T')
      expect({ code, out }).toEqual({ code: 255, out: '' })
      expect(err).toContain(' agent')
      expect(err).toContain('Permission denied (publickey)')
    })
  },
)

describe('a certificate', () => {
  /** Somebody's key with a certificate for the account, signed by another key. */
  async function certified(client: SshClient, authority: SshClient, account: string): Promise<void> {
    const args = ['-q', '-s', authority.keyFile, '-I', 'test', '-n', account, `${client.keyFile}.pub`]
    await run('ssh-keygen', args)
  }

  const doors = [
    ['the own door', ownDoor, 'git'],
    ...(reason === undefined ? ([['OpenSSH', openssh, 'root']] as const) : []),
  ] as const

  test.each(doors)('opens nothing that its key does not open: %s', async (_, site, account) => {
    const [boss, person] = [await own.user(), await own.user()]
    await using authority = await SshClient.open()
    await using client = await SshClient.open()
    // Whoever signs it has rights of their own, which it does not get.
    await authority.addTo(boss)
    await certified(client, authority, account)
    const refused = await client.ssh(site(), '-v', '-T')
    expect([refused.code, refused.err]).toEqual([255, expect.stringContaining('Permission denied')])
    expect(refused.err).toMatch(/key: \S+ ED25519-CERT/)
    await client.addTo(person)
    expect((await client.ssh(site(), '-T')).out).toBe(greeting(person))
  })
})

test.skipIf(reason !== undefined)(
  'OpenSSH exchanges keys in a way that outlasts quantum computers',
  async () => {
    const person = await own.user()
    await using client = await SshClient.open()
    await client.addTo(person)
    const exchange = async (site: string) =>
      /kex: algorithm: (\S+)/.exec((await client.ssh(site, '-v', '-T')).err)?.[1]
    expect(await exchange(openssh())).toMatch(/^(?:sntrup761x25519|mlkem768x25519)-sha/)
    expect(await exchange(ownDoor())).toMatch(/^curve25519-sha256/)
  },
)
