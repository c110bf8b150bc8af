import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '#test/world.ts'
import { until } from '#test/until.ts'
import type { DoorLimits } from './door/settings.ts'
import { type RunningSsh, startSsh } from './start-ssh.ts'
import { SshClient } from './test-support.ts'

let own: World
let client: SshClient
let p: Awaited<ReturnType<World['project']>>
const doors: RunningSsh[] = []

beforeAll(async () => {
  own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  client = await SshClient.open()
  p = await own.project()
  await client.addTo(p.developer)
})
afterAll(async () => {
  for (const door of doors) await door.close()
  await client[Symbol.asyncDispose]()
  await own.running.stop()
})

/** Another door with limits of its own. @returns its site */
async function door(limits: Partial<DoorLimits> = {}): Promise<string> {
  const opened = await startSsh(own.running.services, limits)
  doors.push(opened)
  return `ssh://git@127.0.0.1:${opened.port}/`
}

const greeting = () => `Welcome to Forgelet, @${p.developer.username}!\n`

/** Waits until something is so. */
const when = (isSo: () => boolean | Promise<boolean>) =>
  until(async () => {
    if (!(await isSo())) throw new Error(`not so: ${isSo.toString()}`)
  })

/** A connection that says nothing by itself, and what it has heard. */
function stranger(site: string): { readonly socket: Socket; readonly heard: () => string } {
  let text = ''
  const socket = connect(Number(new URL(site).port), '127.0.0.1')
  socket.on('data', (piece) => (text += piece.toString('latin1'))).on('error', () => {})
  return { socket, heard: () => text }
}

const closed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close'))

describe('strangers who do not keep to the protocol', () => {
  test('and say nothing are sent away after their time', async () => {
    const { socket, heard } = stranger(await door({ patience: 300 }))
    await closed(socket)
    expect(heard()).toMatch(/^SSH-2\.0-Forgelet/)
  })

  test.each([
    ['HTTP', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a first line without an end', 'S'.repeat(100_000)],
    ['a packet of 4 GiB', 'SSH-2.0-x\r\n\xff\xff\xff\xff\x04'],
    ['an empty packet', `SSH-2.0-x\r\n${'\0'.repeat(64)}`],
    ['a packet of another time', `SSH-2.0-x\r\n\0\0\0\x0c\x04\x32${'\0'.repeat(30)}`],
  ])('and send %s are sent away at once, and nobody else', async (_, text) => {
    const site = own.running.services.sshSite() ?? ''
    expect((await client.ssh(site, '-T')).out).toBe(greeting())
    const { socket } = stranger(site)
    socket.write(Buffer.from(text, 'latin1'))
    await closed(socket)
    expect((await client.ssh(site, '-T')).out).toBe(greeting())
  })
})

test.each([
  ['KexAlgorithms=diffie-hellman-group14-sha1', 'no matching key exchange method'],
  ['Ciphers=aes128-cbc', 'no matching cipher'],
  ['MACs=hmac-sha1', 'no matching MAC'],
  ['HostKeyAlgorithms=ssh-rsa', 'no matching host key type'],
])('a client that insists on %s is told that there is none', async (option, message) => {
  // Ciphers with a check of their own need no MAC.
  const withMac = option.startsWith('MACs') ? ['-o', 'Ciphers=aes128-ctr'] : []
  const { code, err } = await client.ssh(await door(), '-o', option, ...withMac, '-T')
  expect([code, err]).toEqual([255, expect.stringContaining(message)])
})

test('one connection has no more sessions at once than it may', async () => {
  const site = await door({ sessions: 3 })
  const { port } = new URL(site)
  const control = join(client.git.folder, 'control')
  const shared = ['-S', control, '-p', port, 'git@127.0.0.1']
  const master = spawn('ssh', [...client.options, '-M', '-N', ...shared], { stdio: 'ignore' })
  await when(async () => (await client.ssh(site, '-S', control, '-O', 'check')).code === 0)
  // Each waits for what its client sends.
  const command = `git-upload-pack '/${p.fullPath}.git'`
  const waiting = Array.from({ length: 3 }, () => {
    const child = spawn('ssh', [...client.options, ...shared, command], { stdio: ['pipe', 'pipe', 'ignore'] })
    return { child, begun: once(child.stdout, 'data') }
  })
  await Promise.all(waiting.map(({ begun }) => begun))
  // Without the shared connection it would open one of its own.
  const more = await client.ssh(site, '-S', control, '-o', 'ProxyCommand=false', '-T')
  expect(more).toMatchObject({ code: 255, out: '' })
  for (const { child } of waiting) child.kill()
  master.kill()
  await once(master, 'close')
})

describe('an address', () => {
  test('of a thousand connections keeps a few, and people come in when they have gone', async () => {
    const site = await door({ unprovenOfAddress: 24 })
    expect((await client.ssh(site, '-T')).out).toBe(greeting())
    const crowd = Array.from({ length: 1_000 }, () => stranger(site))
    await when(() => crowd.filter(({ socket }) => socket.closed).length >= 1_000 - 24)
    expect(crowd.filter(({ heard }) => heard() !== '').length).toBeLessThanOrEqual(24)
    for (const { socket } of crowd) socket.destroy()
    await when(async () => (await client.ssh(site, '-T')).out === greeting())
  })

  test('that failed often to prove a key is refused; where somebody has proved one, one client may try', async () => {
    const [strange, known] = [await door(), await door()]
    expect((await client.ssh(known, '-T')).out).toBe(greeting())
    const isHeard = async (site: string) => {
      const { socket, heard } = stranger(site)
      await Promise.race([closed(socket), when(() => heard() !== '')])
      socket.destroy()
      await closed(socket)
      return heard() !== ''
    }
    for (const site of [strange, known]) {
      let failures = 0
      await when(async () => {
        failures += 1
        const { socket } = stranger(site)
        await once(socket, 'connect')
        socket.destroy()
        return site === known ? failures > 5 : !(await isHeard(site))
      })
    }
    expect((await client.ssh(strange, '-T')).code).toBe(255)
    // The failures may not all be over for the server yet: one client may try at a time.
    await when(async () => (await client.ssh(known, '-T')).out === greeting())
    const first = await until(async () => {
      const one = stranger(known)
      await Promise.race([closed(one.socket), when(() => one.heard() !== '')])
      if (one.heard() === '') throw new Error('another client still tries')
      return one
    })
    expect(await isHeard(known)).toBe(false)
    first.socket.destroy()
  })
})
