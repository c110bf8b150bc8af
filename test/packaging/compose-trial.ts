// Runs the parts of compose.yaml as processes, with its commands, variables, secrets and files, and uses them. It is
// started in namespaces of its own (see packaging.test.ts), where all ports and names are free and everything ends with it.
//
//   unshare --net --mount --pid --fork --kill-child node compose-trial.ts FOLDER VERSITYGW
//
// FOLDER has a copy of packaging/compose after prepare.sh, and everything that is written.
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { findBinaries, linkLibraries } from '#platform/db/embedded/binaries.ts'
import { imageEnvironment, readCompose } from './compose.ts'

const [folder = '', versitygw = ''] = process.argv.slice(2)
const NOBODY = 65_534
/** A PNG of one pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const compose = readCompose({ FORGELET_NAME: 'localhost' })
const { services } = compose
const run = (file: string, ...args: string[]) => execFileSync(file, args, { encoding: 'utf8' })

function serviceOf(name: string) {
  const found = services[name]
  if (found === undefined) throw new Error(`compose.yaml has no ${name}`)
  return found
}

const addresses = new Map<string, string>()

/** The addresses of the network of compose.yaml, those that it leaves open from the range for them. */
function makeNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up')
  const [{ subnet }] = compose.networks.default.ipam.config
  const hosts = Object.entries(services).map(([name, { networks }], index) => {
    const address = networks?.default.ipv4_address ?? subnet.replace(/\.0\/24$/, `.${index + 130}`)
    addresses.set(name, address)
    run('ip', 'address', 'add', `${address}/24`, 'dev', 'lo')
    return `${address} ${name}`
  })
  writeFileSync(join(folder, 'hosts'), ['127.0.0.1 localhost', ...hosts, ''].join('\n'))
  run('mount', '--make-rprivate', '/')
  run('mount', '--bind', join(folder, 'hosts'), '/etc/hosts')
}

/** The secrets where containers have them; those of the host's /run are hidden. */
function placeSecrets(): void {
  run('mount', '-t', 'tmpfs', 'none', '/run')
  mkdirSync('/run/secrets')
  for (const [name, { file }] of Object.entries(compose.secrets))
    cpSync(join(folder, file), join('/run/secrets', name))
}

const ends: Promise<string>[] = []

function start(name: string, command: readonly string[], environment: object, asNobody = false) {
  const [file = '', ...args] = command
  const account = asNobody ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(file, args, { env: { ...environment }, stdio: ['ignore', 2, 2], ...account })
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  ends.push(ended.then((how) => `${name} ended with ${how}`))
  return { child, ended }
}

async function until(what: string, condition: () => unknown): Promise<void> {
  const holds = async () => condition()
  for (let tries = 0; tries < 2400; tries += 1) {
    if (await holds().catch(() => false)) return
    const over = await Promise.race([...ends, pause(50)])
    if (typeof over === 'string') throw new Error(over)
  }
  throw new Error(`${what} in vain`)
}

/** As the image of PostgreSQL does it at the first start, with the programs that Forgelet embeds. */
async function startPostgres(): Promise<void> {
  const { command = [], environment = {}, healthcheck } = serviceOf('postgres')
  const binaries = findBinaries()
  await linkLibraries(binaries, join(folder, 'libraries'))
  const data = join(folder, 'database')
  mkdirSync(data, { mode: 0o700 })
  chownSync(data, NOBODY, NOBODY)
  const user = environment['POSTGRES_USER'] ?? ''
  const password = environment['POSTGRES_PASSWORD_FILE'] ?? ''
  const options = (environment['POSTGRES_INITDB_ARGS'] ?? '').split(' ')
  execFileSync(
    binaries.initdb,
    [
      '-D',
      data,
      `--username=${user}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--no-sync',
      ...options,
    ],
    { uid: NOBODY, gid: NOBODY, cwd: '/', env: { LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  writeFileSync(join(data, 'pg_hba.conf'), 'host all all all scram-sha-256\n', { flag: 'a' })
  const [, ...args] = command
  const place = ['-D', data, '-c', 'listen_addresses=*', '-c', 'unix_socket_directories=', '-c', 'fsync=off']
  start('postgres', [binaries.postgres, ...args, ...place], { LC_ALL: 'C' }, true)
  const address = { host: 'postgres', user, password: readFileSync(password, 'utf8') }
  await until('waited for PostgreSQL', async () => {
    const client = new Client({ ...address, database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    await client.query(`create database ${environment['POSTGRES_DB'] ?? ''}`)
    await client.end()
    return true
  })
  const [, ...check] = healthcheck?.test ?? []
  const debian = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []
  const path = debian.map((version) => `/usr/lib/postgresql/${version}/bin`).join(delimiter)
  const [file = '', ...checkArgs] = check
  execFileSync(file, checkArgs, {
    env: { PATH: `${process.env['PATH']}${delimiter}${path}` },
    stdio: 'ignore',
  })
}

function startRedis(): void {
  const [, ...args] = serviceOf('redis').command ?? []
  const folderOf = join(folder, 'redis')
  mkdirSync(folderOf)
  // Containers are reached from elsewhere; the image says so to the server.
  start(
    'redis',
    ['redis-server', ...args, '--protected-mode', 'no', '--dir', folderOf, '--bind', '*'],
    process.env,
  )
}

function startStorage(): void {
  const { entrypoint = [], command = [], environment } = serviceOf('storage')
  const files = join(folder, 'files')
  mkdirSync(files)
  const here = command.map((part) => part.replaceAll('/files/', `${files}/`))
  const PATH = `${dirname(versitygw)}${delimiter}${process.env['PATH']}`
  start('storage', [...entrypoint, ...here], { PATH, ...environment })
}

async function main(): Promise<void> {
  makeNetwork()
  placeSecrets()
  await startPostgres()
  startRedis()
  startStorage()

  const data = join(folder, 'data')
  mkdirSync(data)
  chmodSync(data, 0o711)
  const { PATH } = process.env
  const environment = {
    ...imageEnvironment(),
    ...serviceOf('forgelet').environment,
    PATH,
    FORGELET_DATA: data,
  }
  const script = join(import.meta.dirname, '../../scripts/start.js')
  const forgelet = start('forgelet', [process.execPath, script, 'serve'], environment)
  await until('waited for Forgelet', async () => (await fetch('http://forgelet:8080/-/readiness')).ok)

  // All addresses are on one interface here, so the proxy has to say which one is its own.
  const proxy = join(folder, 'nginx.conf')
  const bound = `http {\n    proxy_bind ${addresses.get('proxy')};`
  writeFileSync(proxy, readFileSync(proxy, 'utf8').replace('http {', bound))
  start('proxy', ['nginx', '-c', proxy, '-g', 'daemon off;'], { PATH })
  const certificate = join(folder, 'secrets/certificate.pem')
  const curl = (...args: string[]) =>
    run('curl', '--silent', '--show-error', '--fail-with-body', '--cacert', certificate, ...args)
  const url = 'https://localhost'
  await until('waited for the proxy', () => curl(`${url}/-/health`))

  const [, token = ''] =
    /^ {2}token +(\S+)$/m.exec(readFileSync(join(data, 'first-administrator.txt'), 'utf8')) ?? []
  const api = (path: string, ...args: string[]) =>
    JSON.parse(
      curl('--path-as-is', '--header', `PRIVATE-TOKEN: ${token}`, ...args, `${url}/api/v4${path}`),
    ) as Record<string, unknown>
  const project = api('/projects', '--data', 'name=Composed', '--data', 'initialize_with_readme=true')
  const found = api('/projects/root%2Fcomposed')
  writeFileSync(join(folder, 'avatar.png'), Buffer.from(PICTURE, 'base64'))
  const avatar = ['--request', 'PUT', '--form', `avatar=@${join(folder, 'avatar.png')}`]
  const { avatar_url } = api(`/projects/${String(project['id'])}`, ...avatar)
  const clone = join(folder, 'clone')
  const remote = `https://root:${token}@localhost/root/composed.git`
  const trusting = { ...process.env, GIT_SSL_CAINFO: certificate }
  execFileSync('git', ['clone', '--quiet', remote, clone], { env: trusting })
  const key = join(folder, 'key')
  run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
  api('/user/keys', '--data', 'title=Trial', '--data-urlencode', `key@${key}.pub`)
  const ssh = `ssh -F /dev/null -i ${key} -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${folder}/known`
  const overSsh = join(folder, 'over-ssh')
  execFileSync('git', ['clone', '--quiet', String(found['ssh_url_to_repo']), overSsh], {
    env: { ...process.env, GIT_SSH_COMMAND: ssh },
  })
  const monitoring = readFileSync('/run/secrets/monitoring-token', 'utf8')
  const readiness: unknown = JSON.parse(
    curl('--header', `Authorization: Bearer ${monitoring}`, `${url}/-/readiness`),
  )
  // What another container says of where a request is from is not believed.
  const fromRedis = ['--interface', addresses.get('redis') ?? '', '--header', 'X-Forwarded-For: 127.0.0.1']
  const forged: unknown = JSON.parse(curl(...fromRedis, 'http://forgelet:8080/-/readiness'))
  const objects = readdirSync(join(folder, 'files/data/files'), { recursive: true }).map(String)

  forgelet.child.kill('SIGTERM')
  const ended = await forgelet.ended
  console.log(
    JSON.stringify({
      web_url: found['web_url'],
      avatar: typeof avatar_url,
      cloned: readdirSync(clone).filter((name) => name !== '.git'),
      ssh_url_to_repo: found['ssh_url_to_repo'],
      cloned_over_ssh: readdirSync(overSsh).filter((name) => name !== '.git'),
      readiness,
      forged,
      objects: objects.filter((name) => name.startsWith('forgelet/')).length,
      ended,
    }),
  )
  process.exit(0)
}

await main()
