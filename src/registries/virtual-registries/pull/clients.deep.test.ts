import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  crane,
  craneInstalled,
  dockerRegistry,
  imageOnDisk,
  layerOf,
  podman,
  podmanRuns,
  registryInstalled,
  skopeo,
} from '#test/docker-registry.ts'
import { makeRegistry, makeUpstream, own, withVirtualRegistries } from '../test-support.ts'
import { age } from './test-support.ts'
import { passOn, type Spoil, spoilingProxy } from '#test/spoiling-proxy.ts'

withVirtualRegistries({ local: true })

const insecure = ['--src-tls-verify=false', '--src-no-creds'] as const

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forgelet-pulled-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A virtual registry over one of Debian's, with an image in that. */
async function withImage({
  password = false,
  layer = layerOf(3_000_000),
  through = passOn,
}: { password?: boolean; layer?: Buffer; through?: Spoil } = {}) {
  const upstream = await dockerRegistry({ password })
  const image = imageOnDisk(layer)
  const to = `docker://${upstream.host}/team/app:v1`
  await skopeo(
    'copy',
    '--dest-tls-verify=false',
    ...(password ? ['--dest-creds=me:secret'] : []),
    image.name,
    to,
  )
  // Copying has packed the layer, so the digest is another one than on disk.
  const creds = password ? ['--creds=me:secret'] : ['--no-creds']
  const { Digest: digest } = JSON.parse(await skopeo('inspect', '--tls-verify=false', ...creds, to))
  const group = await own.group()
  const registry = await makeRegistry(group.maintainer, group)
  const made = await makeUpstream(group.maintainer, registry, {
    url: through === passOn ? upstream.url : await spoilingProxy(upstream.url, /\/blobs\//, through),
    ...(password && { username: 'me', password: 'secret' }),
  })
  const name = `docker://${own.url.replace('http://', '')}/virtual_registries/container/${registry.id}/team/app`
  const login = `${group.guest.username}:${group.guest.token}`
  const copy = async (reference: string) => {
    const to = folder()
    await skopeo('copy', '--src-tls-verify=false', `--src-creds=${login}`, `${name}${reference}`, `dir:${to}`)
    return readdirSync(to).toSorted()
  }
  return { upstream, group, made, name, image, digest, copy, login }
}

/** A piece every few milliseconds. */
async function sendSlowly(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  for await (const bytes of answer) {
    response.write(bytes)
    await setTimeout(5)
  }
  response.end()
}

describe.skipIf(!registryInstalled)('skopeo', () => {
  test.each([false, true])(
    'copies an image by tag and digest, with a password of the upstream: %s',
    async (password) => {
      const { copy, digest, name, group, upstream, made } = await withImage({ password })
      const first = await copy(':v1')
      expect(first).toHaveLength(4)
      expect(await copy(`@${digest}`)).toEqual(first)
      const inspected = await skopeo(
        'inspect',
        '--tls-verify=false',
        `--creds=${group.guest.username}:${group.guest.token}`,
        `${name}:v1`,
      )
      expect(JSON.parse(inspected)).toMatchObject({
        Digest: digest,
        RepoTags: ['v1'],
        Architecture: 'amd64',
      })
      // Nothing of the upstream is needed any more, nor when what is kept is old.
      await upstream.stop()
      expect(await copy(':v1')).toEqual(first)
      await age([made])
      expect(await copy(':v1')).toEqual(first)
    },
    180_000,
  )

  test('is refused without a token, and told that an image is not there', async () => {
    const { name, group } = await withImage()
    await expect(skopeo('copy', ...insecure, `${name}:v1`, `dir:${folder()}`)).rejects.toThrow(
      /authentication required|unauthorized/,
    )
    await expect(
      skopeo(
        'copy',
        '--src-tls-verify=false',
        `--src-creds=x:${group.guest.token}`,
        `${name}:v2`,
        `dir:${folder()}`,
      ),
    ).rejects.toThrow(/manifest unknown/)
    await expect(
      skopeo(
        'copy',
        '--src-tls-verify=false',
        `--src-creds=x:${group.stranger.token}`,
        `${name}:v1`,
        `dir:${folder()}`,
      ),
    ).rejects.toThrow(/not known|name unknown/)
  }, 180_000)

  test.each<[does: string, spoil: Spoil]>([
    ['sends slowly', (answer, response) => void sendSlowly(answer, response)],
    [
      'breaks off',
      (answer, response, times) => {
        passOn(answer, response)
        if (times > 1) return
        answer.once('data', () => setImmediate(() => response.destroy()))
      },
    ],
    [
      'redirects to a store',
      (answer, response, _, { url = '' }) => {
        if (url.includes('?stored')) return passOn(answer, response)
        answer.resume()
        response.writeHead(307, { location: `${url}?stored` }).end()
      },
    ],
    [
      'limits requests',
      (answer, response, times) => {
        if (times > 0) return passOn(answer, response)
        answer.resume()
        response.writeHead(429, { 'retry-after': '1' }).end()
      },
    ],
  ])('copies through what %s', async (_, through) => {
    const { copy } = await withImage({ through })
    expect(await copy(':v1')).toHaveLength(4)
  })

  test.each<[does: string, spoil: Spoil, says: RegExp]>([
    [
      'changes bytes',
      (answer, response) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('data', (bytes: Buffer) => response.write(bytes.fill(0, 0, 1)))
        answer.on('end', () => response.end())
      },
      /digest|EOF|502|bad gateway|invalid/i,
    ],
  ])('copies nothing through what %s, and nothing wrong is kept', async (_, through, says) => {
    const { copy, made } = await withImage({ through, layer: layerOf(100_000) })
    await expect(copy(':v1')).rejects.toThrow(says)
    const kept = own.db.selectFrom('container_cache_entries').select('relative_path')
    const paths = await kept.where('upstream_id', '=', made.id).execute()
    expect(paths.filter(({ relative_path }) => relative_path.includes('/blobs/'))).toEqual([])
  })

  test('cannot push', async () => {
    const { name, group, image } = await withImage({ layer: layerOf(1_000) })
    await expect(
      skopeo(
        'copy',
        '--dest-tls-verify=false',
        `--dest-creds=x:${group.owner.token}`,
        image.name,
        `${name}:v9`,
      ),
    ).rejects.toThrow(/read-only|unsupported|405/i)
  }, 180_000)

  test('copies one image many times at once', async () => {
    const { copy } = await withImage({ layer: layerOf(8_000_000) })
    const all = await Promise.all(Array.from({ length: 6 }, () => copy(':v1')))
    expect(new Set(all.map((files) => files.join())).size).toBe(1)
  }, 180_000)
})

describe.skipIf(!registryInstalled || !podmanRuns)('podman', () => {
  test('pulls an image', async () => {
    const { name, login, digest } = await withImage()
    const pulled = await podman('pull', '--quiet', '--tls-verify=false', `--creds=${login}`, `${name}:v1`)
    const inspected = JSON.parse(await podman('inspect', pulled.trim()))
    expect(inspected[0].RepoDigests.join()).toContain(digest)
  }, 180_000)
})

describe.skipIf(!registryInstalled || !craneInstalled)('crane', () => {
  test('finds the digest, the tags and the manifest, and validates the image', async () => {
    const { name, login, digest, group, upstream, made } = await withImage()
    const image = name.replace('docker://', '')
    const host = own.url.replace('http://', '')
    await crane('auth', 'login', host, '-u', group.guest.username, '-p', login.split(':')[1] ?? '')
    expect((await crane('digest', '--insecure', `${image}:v1`)).trim()).toBe(digest)
    expect((await crane('ls', '--insecure', image)).trim()).toBe('v1')
    expect(JSON.parse(await crane('manifest', '--insecure', `${image}@${digest}`))).toMatchObject({
      schemaVersion: 2,
    })
    expect(await crane('validate', '--insecure', '--remote', `${image}:v1`)).toContain('PASS')
    // Another client accepts other media types, and gets what this one has got.
    await upstream.stop()
    await age([made])
    const inspected = await skopeo(
      'inspect',
      '--tls-verify=false',
      `--creds=${login}`,
      '--no-tags',
      `${name}:v1`,
    )
    expect(JSON.parse(inspected)).toMatchObject({ Digest: digest })
  }, 180_000)
})
