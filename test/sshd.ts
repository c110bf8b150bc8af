import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SSHD = '/usr/sbin/sshd'
/** Milliseconds that it has to start. */
const START = 40_000
const packaging = fileURLToPath(new URL('../packaging/openssh/', import.meta.url))

/** Why OpenSSH cannot be tried here; undefined where it can. */
export const noSshd = (): string | undefined => {
  if (!existsSync(SSHD)) return 'openssh-server is not installed'
  return process.getuid?.() === 0 ? undefined : 'sshd needs root'
}

/** The real server of OpenSSH, with the configuration that comes with Forgelet and nothing of the system's. */
export class Sshd implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #folders: readonly string[]
  /** What addresses begin with. */
  readonly site: string
  #log = ''

  private constructor(child: ChildProcess, folders: readonly string[], site: string) {
    this.#child = child
    this.#folders = folders
    this.site = site
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-100_000)
    })
  }

  /**
   * @param socket where the server answers
   * @param more further lines of its configuration
   * @param authorizedKeys a file of keys that may run any program, without Forgelet, for comparisons
   */
  static async open(
    socket: string,
    more = '',
    { authorizedKeys }: { readonly authorizedKeys?: string } = {},
  ): Promise<Sshd> {
    const folder = await mkdtemp(join(tmpdir(), 'forgelet-sshd-'))
    // sshd runs nothing from below a folder that others may write to, wherever this checkout is.
    const programs = await mkdtemp('/run/forgelet-sshd-')
    await copyFile(join(packaging, 'forgelet-ssh'), join(programs, 'forgelet-ssh'))
    const port = await freePort()
    for (const type of ['ed25519', 'ecdsa'])
      spawnSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', join(folder, type)])
    await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
    const shipped = await readFile(join(packaging, 'sshd_config'), 'utf8')
    const settings = shipped
      .replace('Port 22', `Port ${port}\nListenAddress 127.0.0.1`)
      .replaceAll('/etc/ssh/ssh_host_ed25519_key', join(folder, 'ed25519'))
      .replaceAll('/etc/ssh/ssh_host_ecdsa_key', join(folder, 'ecdsa'))
      .replace('/usr/local/bin/forgelet-ssh', join(programs, 'forgelet-ssh'))
      .replace('/var/lib/forgelet/ssh/socket', socket)
      // Tests make no account of the machine: they come as root, who may only run the forced command.
      .replace('AllowUsers git', 'AllowUsers root')
      .replace('AuthorizedKeysCommandUser git', 'AuthorizedKeysCommandUser root')
      .replace('PermitRootLogin no', 'PermitRootLogin prohibit-password')
    const alone = settings
      .replace('AuthorizedKeysFile none', `AuthorizedKeysFile ${authorizedKeys}\nStrictModes no`)
      .replace(/^AuthorizedKeysCommand.*\n/gm, '')
    const path = join(folder, 'sshd_config')
    await writeFile(path, `${authorizedKeys === undefined ? settings : alone}${more}`)
    const child = spawn(SSHD, ['-D', '-e', '-f', path], { stdio: ['ignore', 'ignore', 'pipe'] })
    const sshd = new Sshd(child, [folder, programs], `ssh://root@127.0.0.1:${port}/`)
    await sshd.#listening()
    return sshd
  }

  /** Benches wait without a test's means, too. */
  async #listening(): Promise<void> {
    const signal = AbortSignal.timeout(START)
    while (!this.#log.includes('listening')) {
      const said = once(this.#child.stderr ?? this.#child, 'data', { signal })
      await Promise.race([said, once(this.#child, 'exit', { signal })])
      if (this.#child.exitCode !== null) throw new Error(`sshd has not started: ${this.#log}`)
    }
  }

  /** What it has said. */
  get log(): string {
    return this.#log
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const gone = once(this.#child, 'exit')
      this.#child.kill()
      await gone
    }
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true })
  }
}

/** A port that nobody has at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
