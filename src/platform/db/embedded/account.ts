import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Binaries } from './binaries.ts'
import { EmbeddedUnavailable } from './errors.ts'

export interface Owner {
  uid: number
  gid: number
}

/** The account that runs initdb and postgres, and how. PostgreSQL refuses to run as root. */
export interface Account {
  kind: 'ourselves' | 'unprivileged' | 'namespace'
  /** Who must own the cluster and the socket folder, if not this account. */
  owner: Owner | undefined
  /** What to spawn to run a program under this account. */
  command(file: string, args: string[]): { file: string; args: string[]; options: Partial<Owner> }
}

interface Need {
  binaries: Binaries
  dataDir: string
  /** The cluster and its owner; undefined before it is made. */
  cluster: ({ folder: string } & Owner) | undefined
}

/** Chooses the account. The owner of an existing cluster decides. */
export async function chooseAccount(need: Need): Promise<Account> {
  const me = process.geteuid?.() ?? -1
  return me === 0 ? chooseForRoot(need) : chooseForUser(need, me)
}

async function chooseForRoot({ binaries, dataDir, cluster }: Need): Promise<Account> {
  const other = cluster === undefined ? nobody() : cluster
  if (other.uid !== 0) {
    const account = unprivileged(other)
    if (await canUse(account, binaries, cluster?.folder ?? dataDir)) return account
    if (cluster !== undefined)
      throw unreachable(binaries, dataDir, `user ${other.uid}, who owns ${cluster.folder},`)
  }
  const account = namespace(nobody())
  if (await canUse(account, binaries, cluster?.folder ?? dataDir)) return account
  throw unreachable(
    binaries,
    dataDir,
    cluster === undefined ? 'the account nobody' : 'a user namespace of root',
  )
}

async function chooseForUser({ binaries, dataDir, cluster }: Need, me: number): Promise<Account> {
  if (cluster !== undefined && cluster.uid !== me) {
    throw new EmbeddedUnavailable(
      `${cluster.folder} belongs to user ${cluster.uid}, Forgelet runs as user ${me}. Start it as root or as that ` +
        'user, or choose another folder (FORGELET_DATA) or a PostgreSQL server of your own (FORGELET_DATABASE_URL).',
    )
  }
  if (hasName()) return ourselves
  // Containers often run under a number without an entry in /etc/passwd, which initdb refuses.
  const account = namespace(nobody())
  return (await canUse(account, binaries, cluster?.folder ?? dataDir)) ? account : ourselves
}

/** Whether a program under this account can enter a folder. */
export function canEnter(account: Account, folder: string): Promise<boolean> {
  return succeeds(account, 'cd "$1"', [folder])
}

function canUse(account: Account, binaries: Binaries, folder: string): Promise<boolean> {
  return succeeds(account, '[ -x "$1" ] && [ -r "$2" ] && cd "$3"', [
    binaries.postgres,
    binaries.catalog,
    folder,
  ])
}

// Asking the kernel under that account beats computing modes: ACLs, mounts and blocked namespaces count too.
function succeeds(account: Account, script: string, values: string[]): Promise<boolean> {
  const { file, args, options } = account.command('/bin/sh', ['-c', script, 'sh', ...values])
  return new Promise((resolve) => {
    try {
      execFile(file, args, { ...options, cwd: '/' }, (error) => resolve(error === null))
    } catch {
      resolve(false) // spawn throws where changing the user is not permitted
    }
  })
}

const ourselves: Account = {
  kind: 'ourselves',
  owner: undefined,
  command: (file, args) => ({ file, args, options: {} }),
}

function unprivileged({ uid, gid }: Owner): Account {
  return {
    kind: 'unprivileged',
    owner: { uid, gid },
    command: (file, args) => ({ file, args, options: { uid, gid } }),
  }
}

// Inside, the process is the mapped user; for files it is still the user who started it. unshare executes in place
// (same pid).
function namespace({ uid, gid }: Owner): Account {
  const map = ['-U', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  return {
    kind: 'namespace',
    owner: undefined,
    command: (file, args) => ({ file: 'unshare', args: [...map, file, ...args], options: {} }),
  }
}

function nobody(): Owner {
  const fallback = { uid: 65534, gid: 65534 }
  try {
    const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
    return line === null ? fallback : { uid: Number(line[1]), gid: Number(line[2]) }
  } catch {
    return fallback
  }
}

function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

function unreachable(binaries: Binaries, dataDir: string, who: string): EmbeddedUnavailable {
  return new EmbeddedUnavailable(
    `PostgreSQL does not run as root, and ${who} cannot reach both ${binaries.root} and ${dataDir} (a folder above ` +
      'is closed to it, or user namespaces are not permitted here). Choose another data folder with FORGELET_DATA ' +
      '(and a checkout outside closed folders), or set FORGELET_DATABASE_URL to a PostgreSQL server of your own.',
  )
}
