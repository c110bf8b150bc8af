import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import type { Actor } from '#test/world.ts'
import { GitClient, type Ran } from '#test/git-client.ts'
import { KeyAgent, type SecurityKeyType } from '#test/key-agent.ts'

const run = promisify(execFile)
let serial = 0

/** The real client of OpenSSH with a key of its own, as git uses it. */
export class SshClient {
  readonly git: GitClient
  readonly publicKey: string
  readonly keyFile: string
  /** What every call of `ssh` begins with. */
  readonly options: readonly string[]
  #agent: KeyAgent | undefined

  private constructor(git: GitClient, publicKey: string, keyFile: string, options: readonly string[]) {
    this.git = git
    this.publicKey = publicKey
    this.keyFile = keyFile
    this.options = options
  }

  /** Makes a key of a type, in a folder of its own. */
  static async open(type = 'ed25519', more: readonly string[] = []): Promise<SshClient> {
    const git = await GitClient.open()
    const keyFile = join(git.folder, `key-${++serial}`)
    await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'test', '-f', keyFile])
    const publicKey = await readFile(`${keyFile}.pub`, 'utf8')
    return SshClient.#over(git, publicKey.trim(), keyFile, more)
  }

  /** Has a security key, which only an agent can use. */
  static async withSecurityKey(type: SecurityKeyType): Promise<SshClient & { readonly agent: KeyAgent }> {
    const git = await GitClient.open()
    const agent = await KeyAgent.open(type, join(git.folder, 'agent'))
    // The client reads the public half, and finds the agent's key by it.
    const keyFile = join(git.folder, `key-${++serial}.pub`)
    await writeFile(keyFile, `${agent.publicKey}\n`)
    const options = ['-o', `IdentityAgent=${agent.path}`]
    const client = await SshClient.#over(git, agent.publicKey, keyFile, options)
    client.#agent = agent
    return Object.assign(client, { agent })
  }

  static async #over(
    git: GitClient,
    publicKey: string,
    keyFile: string,
    more: readonly string[],
  ): Promise<SshClient> {
    const known = `UserKnownHostsFile=${git.folder}/known_hosts`
    const settings = ['IdentitiesOnly=yes', 'BatchMode=yes', 'StrictHostKeyChecking=accept-new', known]
    const options = ['-F', '/dev/null', '-i', keyFile, ...settings.flatMap((one) => ['-o', one]), ...more]
    const script = join(git.folder, 'ssh')
    await writeFile(script, `#!/bin/sh\nexec ssh ${options.join(' ')} "$@"\n`)
    await chmod(script, 0o755)
    await git.run(['config', '--global', 'core.sshCommand', script])
    return new SshClient(git, publicKey, keyFile, options)
  }

  /** Gives the key to somebody. @returns its number */
  async addTo(actor: Actor, more: Record<string, unknown> = {}): Promise<number> {
    const { status, body } = await actor.post('/user/keys', { title: 'Test', key: this.publicKey, ...more })
    if (status !== 201) throw new Error(`the key was not added: ${JSON.stringify(body)}`)
    return body.id
  }

  /** Runs a command over SSH, without git. */
  async ssh(site: string, ...args: readonly string[]): Promise<Ran> {
    const { hostname, port, username } = new URL(site)
    const all = [...this.options, '-p', port, `${username}@${hostname}`, ...args]
    return run('ssh', all, { timeout: 60_000 }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        out: error.stdout,
        err: error.stderr,
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]()
    await this.git[Symbol.asyncDispose]()
  }
}
