import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'
import { freePort, noSshd } from '#test/sshd.ts'
import { tree } from '#test/tree.ts'
import { until } from '#test/until.ts'
import { openWorld } from '#test/world.ts'
import { composeFolder } from './compose.ts'

const NUMBER = 10_001
const text = (path: string) => readFileSync(join(tree, path), 'utf8')
const canHide = spawnSync('unshare', ['--mount', 'true']).status === 0
const missing = noSshd() ?? (canHide ? undefined : 'no namespaces here')
if (missing !== undefined) console.warn(`SKIPPED: OpenSSH is not tried as it is packaged: ${missing}`)

/** What the image does to Debian for OpenSSH, and how it starts it: without rights, under the number of the account. */
function inTheImage(): string[] {
  const hooks = [...text('packaging/container/build.sh').matchAll(/--customize-hook='(.*)'/g)]
  const here = hooks
    .map(([, hook = '']) => hook)
    .filter((hook) => /groupadd|useradd|usr\/local\/bin|etc\/forgelet|etc\/ssh/.test(hook))
  const start = `setpriv --reuid=${NUMBER} --regid=${NUMBER} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs`
  return [
    'set -- ""',
    ...here.map((hook) => hook.replaceAll('chroot "$1" ', '')),
    '$KEYS',
    `exec ${start} forgelet-sshd`,
  ]
}

/** What the guide says, and the command of the unit of systemd. */
function onAMachine(): string[] {
  const [, lines = ''] = /\n(useradd [^]*?)\nsystemctl /.exec(text('docs/guides/ssh.md')) ?? []
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(text('packaging/systemd/forgelet-sshd.service')) ?? []
  return [
    `groupadd --gid ${NUMBER} forgelet`,
    `useradd --uid ${NUMBER} --gid forgelet --no-create-home forgelet`,
    ...lines.split('\n').filter((line) => !line.includes('systemd')),
    '$KEYS',
    'mkdir -p /run/sshd',
    `exec ${start}`,
  ]
}

test.skipIf(missing !== undefined).each([
  ['in the image, without rights', inTheImage],
  ['on a machine, as the guide says', onAMachine],
])('OpenSSH serves git %s', { timeout: 180_000 }, async (_, commands) => {
  const place = await temporaryFolder()
  onTestFinished(() => place[Symbol.asyncDispose]())
  chmodSync(place.path, 0o711)
  const socket = join(place.path, 'socket')
  const own = await openWorld(undefined, undefined, { FORGELET_SSH_SOCKET: socket })
  onTestFinished(() => own.running.stop())
  // As if the server ran under that account.
  chownSync(socket, NUMBER, NUMBER)

  // The machine's own accounts, programs and keys stay as they are: /etc is a copy, and /usr/local/bin another folder.
  const copies = join(place.path, 'copies')
  mkdirSync(join(copies, 'bin'), { recursive: true })
  cpSync(composeFolder, join(copies, 'compose'), { recursive: true })
  execFileSync(join(copies, 'compose/prepare.sh'), ['localhost'])
  const port = await freePort()
  const script = [
    'mount --make-rprivate /',
    `cp -a /etc ${copies}/etc`,
    `mount --bind ${copies}/etc /etc`,
    'mount -t tmpfs -o mode=755 none /usr/local/bin',
    ...commands(),
  ]
    .join('\n')
    .replace(
      '$KEYS',
      [
        `install -m 600 ${copies}/compose/secrets/ssh_host_*_key /etc/ssh/`,
        // Kubernetes gives them to the group.
        commands === inTheImage
          ? `chgrp ${NUMBER} /etc/ssh/ssh_host_*_key && chmod 440 /etc/ssh/ssh_host_*_key`
          : '',
        `sed -i 's|^Port .*|Port ${port}|; s|/var/lib/forgelet/ssh/socket|${socket}|' /etc/forgelet/sshd_config`,
        `[ ! -e /usr/local/bin/forgelet-sshd ] || sed -i 's|-p 2222|-p ${port}|' /usr/local/bin/forgelet-sshd`,
      ].join('\n'),
    )
  const child = spawn('unshare', ['--mount', 'sh', '-ec', script], {
    cwd: tree,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      FORGELET_SSH_SOCKET: socket,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gone = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await gone
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (log += piece))
  await until(() => expect(log).toContain('listening'))
  expect(log).not.toContain('Unable to load host key')

  const p = await own.project()
  await using client = await SshClient.open()
  await client.addTo(p.maintainer)
  const site = `ssh://git@127.0.0.1:${port}/`
  const greeted = await client.ssh(site, '-T', '-q')
  expect([greeted, log]).toEqual([
    { code: 0, out: `Welcome to Forgelet, @${p.maintainer.username}!\n`, err: '' },
    expect.stringContaining('Accepted publickey for git'),
  ])
  const work = await client.git.init(`${site}${p.fullPath}.git`, 'work')
  const head = await work.commit({ a: 'a' })
  await work.run('push', '--quiet', 'origin', 'HEAD:main')
  const clone = await client.git.clone(`${site}${p.fullPath}.git`, 'clone')
  expect(await clone.id('HEAD')).toBe(head)
})
