import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '#server-options.ts'
import { imageOnDisk, layerOf, registryInstalled, skopeo } from '#test/docker-registry.ts'
import { GitClient } from '#test/git-client.ts'
import { freePort } from '#test/redis.ts'
import { tree } from '#test/tree.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'

/** Bytes: more than any body of the API may have. */
const LARGE = 18_000_000
const NGINX = '/usr/sbin/nginx'
const installed = [
  [NGINX, '-v'],
  ['openssl', 'version'],
].every(([program = '', argument = '']) => spawnSync(program, [argument]).status === 0)
if (!installed) console.log("skipped: Debian's nginx or openssl is not installed")

const packaged = (name: string) => readFileSync(join(tree, 'packaging/proxies', name), 'utf8')

/** A packaged configuration with other places in it, each of which it must name. */
function changed(name: string, changes: readonly (readonly [from: string, to: string])[]): string {
  let text = packaged(name)
  for (const [from, to] of changes) {
    expect(text).toContain(from)
    text = text.replaceAll(from, to)
  }
  return text
}

/** The packaged server, on another port, with a certificate of its own and another server behind it. */
function configuration(folder: string, port: number, behind: string): string {
  const server = changed('nginx.conf', [
    ['server 127.0.0.1:8080;', `server ${new URL(behind).host};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['/etc/ssl/forge.example.com.pem', join(folder, 'certificate.pem')],
    ['/etc/ssl/forge.example.com.key', join(folder, 'key.pem')],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  // Workers of another account could not write into the folder.
  const user = process.geteuid?.() === 0 ? 'user root root;' : ''
  return `daemon off; ${user} pid ${join(folder, 'pid')}; error_log stderr;
    events {}
    http { access_log off; ${temporary.join(' ')} ${server} }`
}

/** The same for the other proxies: the command that runs them with the packaged file. */
const others = {
  caddy: (folder: string, port: number, behind: string) => {
    const tls = `tls ${join(folder, 'certificate.pem')} ${join(folder, 'key.pem')}`
    const site = changed('Caddyfile', [
      ['forge.example.com {', `https://localhost:${port} {\n\t${tls}`],
      ['127.0.0.1:8080', new URL(behind).host],
    ])
    const file = join(folder, 'Caddyfile')
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
  },
  haproxy: (folder: string, port: number, behind: string) => {
    const both = join(folder, 'both.pem')
    const read = (name: string) => readFileSync(join(folder, name), 'utf8')
    writeFileSync(both, read('certificate.pem') + read('key.pem'))
    const file = join(folder, 'haproxy.cfg')
    const text = changed('haproxy.cfg', [
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/forge.example.com.pem', both],
      ['127.0.0.1:8080', new URL(behind).host],
    ])
    writeFileSync(file, text)
    return ['haproxy', '-db', '-f', file]
  },
} as const

describe.skipIf(!installed)('the packaged nginx', () => {
  let own: World
  let behind: RunningServer
  let port: number
  let inner: string
  let folder: string
  const ending: (() => Promise<unknown>)[] = []
  /** The host under which clients reach the proxy, and the one of images. */
  const outer = () => `localhost:${port}`
  const images = () => `127.0.0.1:${port}`

  beforeAll(async () => {
    own = await openWorld()
    ending.push(() => own.running.stop())
    port = await freePort()
    behind = await own.another(undefined, {
      FORGELET_TRUSTED_PROXIES: '127.0.0.1,::1',
      FORGELET_EXTERNAL_URL: `https://${outer()}`,
      FORGELET_REGISTRY_URL: `https://${images()}`,
    })
    ending.push(() => behind.stop())
    const address = behind.app.server.address()
    inner = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
    folder = mkdtempSync(join(tmpdir(), 'forgelet-nginx-'))
    ending.push(async () => rmSync(folder, { recursive: true, force: true }))
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
        .concat(['-subj', '/CN=forge.example.com'])
        .concat(['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]),
      { stdio: 'ignore' },
    )
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, inner))
    const nginx = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    ending.push(async () => {
      const ended = once(nginx, 'exit')
      nginx.kill('SIGTERM')
      await ended
    })
    for (;;) {
      if (nginx.exitCode !== null) throw new Error('nginx did not start')
      const answer = await send('GET', '/-/liveness').catch(() => undefined)
      if (answer?.status === 200) break
      await pause(20)
    }
  })
  afterAll(async () => {
    for (const end of ending.toReversed()) await end()
  })

  interface Sending {
    readonly by?: Actor
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    /** The address that the client sends from. */
    readonly from?: string
  }

  /** A request to nginx, as a client sends it; paths are sent as they are. */
  async function send(method: string, path: string, { by, headers, body, from }: Sending = {}) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        rejectUnauthorized: false,
        ...(from !== undefined && { localAddress: from }),
        headers: {
          host: outer(),
          ...(by && { 'private-token': by.token }),
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
          ...headers,
        },
      })
      asking.on('response', resolve).on('error', reject).end(body)
    })
    const text = Buffer.concat(await answer.toArray()).toString()
    return { status: answer.statusCode, headers: answer.headers, text }
  }

  /** Pushes a commit with a large file that nothing compresses through a proxy. @returns its bytes as the server has it */
  async function pushed(through: string): Promise<number> {
    const { owner, ...project } = await own.project()
    await using git = await GitClient.open({ GIT_SSL_NO_VERIFY: 'true' })
    await git.run(['init', '--quiet', 'work'])
    await git.run(['config', 'core.compression', '0'], { cwd: join(git.folder, 'work') })
    writeFileSync(join(git.folder, 'work/large.bin'), randomBytes(LARGE))
    await git.run(['add', '.'], { cwd: join(git.folder, 'work') })
    await git.run(['commit', '--quiet', '--message', 'Large'], { cwd: join(git.folder, 'work') })
    const remote = `${through.replace('://', `://root:${owner.token}@`)}/${project.fullPath}.git`
    await git.run(['push', '--quiet', remote, 'main'], { cwd: join(git.folder, 'work') })
    const { headers } = await owner.head(`/projects/${project.id}/repository/files/large.bin?ref=main`)
    return Number(headers.get('x-gitlab-size'))
  }

  /** Publishes a large file through a proxy. @returns its bytes as the server has it */
  async function published(through: string): Promise<number> {
    const { owner, ...project } = await own.project()
    const file = join(folder, 'large.bin')
    writeFileSync(file, randomBytes(LARGE))
    const url = `${through}/api/v4/projects/${project.encoded}/packages/generic/large/1.0.0/large.bin`
    const options = ['--silent', '--show-error', '--fail-with-body', '--insecure', '--upload-file', file]
    await promisify(execFile)('curl', [...options, '--header', `PRIVATE-TOKEN: ${owner.token}`, url])
    const { body } = await owner.get(`/projects/${project.id}/packages`)
    const { body: files } = await owner.get(`/projects/${project.id}/packages/${body[0].id}/package_files`)
    return files[0].size
  }

  test('lets large pushes and packages through', async () => {
    expect(await pushed(`https://localhost:${port}`)).toBe(LARGE)
    expect(await published(`https://localhost:${port}`)).toBe(LARGE)
  })

  test.skipIf(!registryInstalled)('images have a host of their own', async () => {
    const { developer, ...project } = await own.project()
    const name = `docker://${images()}/${project.fullPath.toLowerCase()}`
    const login = `${developer.username}:${developer.token}`
    const image = imageOnDisk(layerOf(LARGE))
    await skopeo('copy', '--dest-tls-verify=false', `--dest-creds=${login}`, image.name, `${name}:v1`)
    const inspected = await skopeo('inspect', '--tls-verify=false', `--creds=${login}`, `${name}:v1`)
    expect(JSON.parse(inspected)).toMatchObject({ RepoTags: ['v1'], Architecture: 'amd64' })
    const { body } = await developer.get(`/projects/${project.id}/registry/repositories`)
    expect(body).toMatchObject([{ path: project.fullPath.toLowerCase() }])
    const headers = { host: images() }
    const { status, headers: refused } = await send('GET', '/v2/', { headers })
    expect([status, refused['www-authenticate']]).toEqual([
      401,
      `Bearer realm="https://${outer()}/jwt/auth",service="container_registry"`,
    ])
    expect((await send('GET', '/api/v4/version', { headers })).status).toBe(404)
  })

  test.each(['caddy', 'haproxy'] as const)('so does the packaged %s', async (name) => {
    if (spawnSync(name, [name === 'caddy' ? 'version' : '-v']).status !== 0) {
      console.log(`skipped: ${name} is not installed`)
      return
    }
    const at = await freePort()
    const [program = '', ...args] = others[name](folder, at, inner)
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const proxy = spawn(program, args, { stdio: 'ignore', env })
    try {
      const url = `https://localhost:${at}`
      const args = ['--silent', '--fail', '--insecure', '--max-time', '2', `${url}/-/liveness`]
      const answers = async () => promisify(execFile)('curl', args).then(({ stdout }) => stdout, String)
      await expect.poll(answers).toContain('ok')
      expect(await pushed(url)).toBe(LARGE)
      expect(await published(url)).toBe(LARGE)
    } finally {
      const ended = once(proxy, 'exit')
      proxy.kill('SIGKILL')
      await ended
    }
  })

  test('leaves encoded paths as they are', async () => {
    const group = await own.group({ path: 'with.dot' })
    const p = await own.project({ parent: group.id, path: 'a.b' })
    for (const path of [p.encoded, p.encoded.replaceAll('%2F', '%2f'), p.encoded.replaceAll('.', '%2E')]) {
      const { status, text } = await send('GET', `/api/v4/projects/${path}`, { by: p.owner })
      expect([status, JSON.parse(text).id]).toEqual([200, p.id])
    }
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'kind/a b//c', color: 'red' })
    const label = `/api/v4/projects/${p.encoded}/labels/kind%2Fa%20b%2F%2Fc`
    const { status, text } = await send('GET', label, { by: p.owner })
    expect([status, JSON.parse(text).name]).toEqual([200, 'kind/a b//c'])
    expect((await send('GET', `/api/v4/projects/${p.fullPath}`, { by: p.owner })).status).toBe(404)
  })

  test('pages lead on at the outer host, by https, however long their links are', async () => {
    const p = await own.project()
    for (const name of ['a', 'b', 'c'])
      await p.owner.post(`/projects/${p.id}/labels`, { name, color: 'red', description: 'x'.repeat(9) })
    const list = `/api/v4/projects/${p.encoded}/labels`
    const { headers } = await send('GET', `${list}?per_page=1&page=2`, { by: p.owner })
    const links = [...String(headers.link).matchAll(/<([^>]+)>; rel="(\w+)"/g)]
    expect(links.map(([, , rel]) => rel)).toEqual(['prev', 'next', 'first', 'last'])
    for (const [, url = ''] of links) expect(url).toContain(`https://${outer()}${list}?`)
    const next = new URL(links[1]?.[1] ?? '')
    expect((await send('GET', next.pathname + next.search, { by: p.owner })).headers['x-page']).toBe('3')
    const long = await send('GET', `${list}?per_page=1&x=${'y'.repeat(2_200)}`, { by: p.owner })
    expect(long.status).toBe(200)
    expect(String(long.headers.link).length).toBeGreaterThan(6_000)
  })

  test('limits count for the address of the client, whatever it says of itself', async () => {
    const p = await own.project({ visibility: 'public' })
    const limit = async (throttle_unauthenticated_api_enabled: boolean) => {
      await own.root.put('/application/settings', {
        throttle_unauthenticated_api_enabled,
        throttle_unauthenticated_api_requests_per_period: 2,
      })
      await behind.services.settingsView.reload()
    }
    await limit(true)
    const ask = async (from: string, claimed: string) => {
      const headers = { 'x-forwarded-for': claimed }
      return (await send('GET', `/api/v4/projects/${p.id}`, { from, headers })).status
    }
    const found: unknown[] = []
    for (const claimed of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) found.push(await ask('127.0.0.2', claimed))
    expect(found).toEqual([200, 200, 429])
    expect(await ask('127.0.0.3', '127.0.0.2')).toBe(200)
    await limit(false)
  })

  test('big bodies arrive, and those that are too big are refused in JSON', async () => {
    const p = await own.project()
    const issues = `/api/v4/projects/${p.encoded}/issues`
    const open = (size: number) =>
      send('POST', issues, {
        by: p.owner,
        body: JSON.stringify({ title: 'x', description: 'é'.repeat(size / 2) }),
      })
    const made = await open(1_900_000)
    expect([made.status, JSON.parse(made.text).description.length]).toEqual([201, 950_000])
    const refused = await open(16 * 1024 * 1024 + 2)
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      413,
      { message: '413 Request Entity Too Large' },
    ])
  })

  test('HEAD, 304 and a DELETE with a body are what they are without it', async () => {
    const p = await own.project()
    const path = `/api/v4/projects/${p.encoded}/labels`
    const get = await send('GET', path, { by: p.owner })
    const head = await send('HEAD', path, { by: p.owner })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-length', 'x-total', 'link'])
      expect(head.headers[name]).toBe(get.headers[name])
    const again = await send('GET', path, {
      by: p.owner,
      headers: { 'if-none-match': get.headers.etag ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'gone', color: 'red' })
    const body = JSON.stringify({ name: 'gone' })
    expect((await send('DELETE', path, { by: p.owner, body })).status).toBe(204)
  })

  test('a head that nginx would refuse by itself arrives', async () => {
    const p = await own.project()
    const headers = { 'x-long': 'x'.repeat(30_000) }
    const answer = await send('GET', `/api/v4/projects/${p.encoded}?x=${'y'.repeat(8_000)}`, {
      by: p.owner,
      headers,
    })
    expect(answer.status).toBe(200)
  })
})
