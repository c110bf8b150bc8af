import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Sshd } from '#test/sshd.ts'
import { cpuOf, descendantWith, ownMemoryOf, startChild, temporaryFolder } from './children.ts'
import { git, timed } from './git-client.ts'
import { repositoryWith } from './git.ts'
import { atLeast, atMost, type Effort, type Measure, median, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-ssh'
const MEGABYTES = 200
const IDLE = 50
const IDLE_SECONDS = 60
const LOOKUPS = 30
/** The same for all, so that their speed does not count. */
const CIPHER = 'aes128-gcm@openssh.com'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../packaging/openssh/forgelet-ssh', import.meta.url))

/**
 * Git over SSH: what idle connections cost, how long a key is looked up, and clones and pushes against Debian's `sshd` with git alone, by
 * the same client, with the same cipher, on the same disk. Takes root, as `sshd` does.
 */
export async function measureSsh({ rounds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  const socket = join(folder.path, 'socket')
  await using forgelet = await startChild<{ url: string }>('boot.js', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
    FORGELET_SSH_ADDRESS: '127.0.0.1:0',
    FORGELET_SSH_SOCKET: socket,
  })
  const api = async (path: string, body: Record<string, string>) => {
    const answer = await fetch(`${forgelet.said.url}/api/v4${path}`, {
      method: 'POST',
      headers: { 'private-token': TOKEN },
      body: new URLSearchParams(body),
    })
    if (!answer.ok) throw new Error(`${answer.status} from ${path}`)
    const value: unknown = await answer.json()
    return value instanceof Object && 'ssh_url_to_repo' in value ? String(value.ssh_url_to_repo) : ''
  }
  const key = join(folder.path, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const line = await readFile(`${key}.pub`, 'utf8')
  await api('/user/keys', { title: 'Bench', key: line })
  const client = clientWith(folder.path, key)

  await using openssh = await Sshd.open(socket)
  const keys = join(folder.path, 'authorized_keys')
  await writeFile(keys, line, { mode: 0o600 })
  await using plain = await Sshd.open(socket, '', { authorizedKeys: keys })
  const plainFolder = join(folder.path, 'plain')
  await mkdir(plainFolder)

  let serial = 0
  const project = async () => {
    const url = await api('/projects', { name: `project-${++serial}` })
    return { own: url, openssh: url.replace(/^ssh:\/\/[^/]+\//, openssh.site) }
  }
  const bare = async () => {
    const name = `project-${++serial}.git`
    await git(plainFolder, 'init', '--quiet', '--bare', name)
    return `${plain.site}${plainFolder.slice(1)}/${name}`
  }

  const found: Measure[] = [await lookUps(key, socket)]
  const { own } = await project()
  found.push(...(await idle(forgelet.pid, client, own)))

  const large = await repositoryWith(folder.path, MEGABYTES)
  const times = { own: [] as number[], openssh: [] as number[] }
  const clones = { own: [] as number[], openssh: [] as number[] }
  const push = (url: string) => timed(() => client.git(large, 'push', '--quiet', url, 'HEAD:refs/heads/main'))
  const clone = async (url: string) => {
    const target = join(folder.path, `clone-${++serial}`)
    const time = await timed(() => client.git(folder.path, 'clone', '--quiet', '--bare', url, target))
    await rm(target, { recursive: true })
    return time
  }
  for (let round = 0; round < rounds; round += 1) {
    const there = await bare()
    const plainPush = await push(there)
    const plainClone = await clone(there)
    for (const door of ['own', 'openssh'] as const) {
      const url = (await project())[door]
      times[door].push(plainPush / (await push(url)))
      clones[door].push(plainClone / (await clone(url)))
    }
  }
  const share = (what: string) => `${what} of ${MEGABYTES} MB: share of the throughput of sshd with git alone`
  return [
    ...found,
    atLeast(`${share('push')}, by OpenSSH`, median(times.openssh), 0.7),
    atLeast(`${share('clone')}, by OpenSSH`, median(clones.openssh), 0.7),
    reported(`${share('push')}, by the server's own door`, median(times.own).toFixed(2)),
    reported(`${share('clone')}, by the server's own door`, median(clones.own).toFixed(2)),
  ]
}

/** The real client, which knows one key. */
function clientWith(folder: string, key: string) {
  const known = `UserKnownHostsFile=${folder}/known_hosts`
  const options = ['-F', '/dev/null', '-i', key, '-c', CIPHER].concat(
    ['IdentitiesOnly=yes', 'BatchMode=yes', 'StrictHostKeyChecking=accept-new', known].flatMap((one) => [
      '-o',
      one,
    ]),
  )
  return {
    options,
    git: (cwd: string, ...args: readonly string[]) =>
      git(cwd, '-c', `core.sshCommand=ssh ${options.join(' ')}`, ...args),
  }
}

/** What `sshd` waits for at each key that a client offers. */
async function lookUps(key: string, socket: string): Promise<Measure> {
  const { stdout } = await run('ssh-keygen', ['-l', '-f', `${key}.pub`])
  const [, fingerprint = ''] = stdout.split(' ')
  const times: number[] = []
  for (let count = 0; count < LOOKUPS; count += 1)
    times.push(await timed(() => run(script, [socket, 'keys', fingerprint])))
  const time = median(times)
  return atMost('a key is looked up for OpenSSH', time, 30, `${time.toFixed(1)} ms`)
}

/** What connections cost that are open and do nothing. The process for SSH has them alone: the server knows nothing of them. */
async function idle(
  server: number,
  { options }: ReturnType<typeof clientWith>,
  url: string,
): Promise<readonly Measure[]> {
  const pid = await descendantWith(server, 'ssh-door')
  const { hostname, port, username } = new URL(url)
  const connect = async () => {
    const clients = []
    for (let count = 0; count < IDLE; count += 1) {
      clients.push(
        spawn('ssh', [...options, '-N', '-p', port, `${username}@${hostname}`], { stdio: 'ignore' }),
      )
      // An address may not have many that have not proved a key.
      if (count % 10 === 9) await pause(1_000)
    }
    return clients
  }
  // What the start and the first connections have left behind is given back, and does not count.
  const first = await connect()
  await pause(10_000)
  for (const client of first) client.kill()
  await pause(IDLE_SECONDS * 1_000)
  const quiet = await cpuWhileNothingHappens(pid)
  const before = await ownMemoryOf(pid)
  const clients = await connect()
  await pause(10_000)
  const busy = await cpuWhileNothingHappens(pid)
  const memory = (await ownMemoryOf(pid)) - before
  if (clients.some(({ exitCode }) => exitCode !== null)) throw new Error('a connection ended')
  for (const client of clients) client.kill()
  const share = Math.max(0, busy - quiet)
  return [
    atMost(`${IDLE} idle connections: memory`, memory, 5, `${memory.toFixed(1)} MB`),
    atMost(`${IDLE} idle connections: share of a core`, share, 0.1, `${share.toFixed(2)} %`),
  ]
}

/** @returns percent of a core */
async function cpuWhileNothingHappens(pid: number): Promise<number> {
  const before = await cpuOf(pid)
  await pause(IDLE_SECONDS * 1_000)
  return ((await cpuOf(pid)) - before) / (IDLE_SECONDS * 10_000)
}
