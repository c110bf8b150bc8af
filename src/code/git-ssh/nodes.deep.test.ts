import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorld } from '#test/world.ts'
import { SshClient } from './test-support.ts'

test('two nodes have the same host keys, and what is pushed to one is cloned from the other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-ssh-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const offered = (socket: string) => ({
    FORGELET_SSH_ADDRESS: '127.0.0.1:0',
    FORGELET_SSH_SOCKET: join(folder, socket),
  })
  const own = await openWorld(undefined, undefined, offered('here'))
  onTestFinished(() => own.running.stop())
  const other = await own.another(undefined, offered('there'))
  onTestFinished(() => other.stop())
  const [here, there] = [own.running.services.sshSite() ?? '', other.services.sshSite() ?? '']
  expect(new URL(here).port).not.toBe(new URL(there).port)

  const p = await own.project()
  await using client = await SshClient.open()
  await client.addTo(p.maintainer)
  const work = await client.git.init(`${here}${p.fullPath}.git`, 'work')
  const head = await work.commit({ a: 'a' })
  await work.run('push', '--quiet', 'origin', 'HEAD:main')
  const clone = await client.git.clone(`${there}${p.fullPath}.git`, 'clone')
  expect(await clone.id('HEAD')).toBe(head)

  // The client has noted one line for each address.
  const known = (await readFile(join(client.git.folder, 'known_hosts'), 'utf8')).trim().split('\n')
  const keys = known.map((line) => line.split(' ').slice(1).join(' '))
  const [first] = keys
  expect(first).toMatch(/^ssh-ed25519 /)
  expect(keys.filter((key) => key.startsWith('ssh-ed25519'))).toEqual([first, first])
})
