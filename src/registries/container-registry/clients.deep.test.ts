import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  crane,
  craneInstalled,
  imageOnDisk,
  layerOf,
  oras,
  orasInstalled,
  podman,
  podmanRuns,
  registryInstalled,
  skopeo,
} from '#test/docker-registry.ts'
import { withRunningJob } from '#ci/job-tokens/test-support.ts'
import { w } from '#test/world.ts'
import { withImages } from './test-support.ts'

const host = w.url.replace('http://', '')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forgelet-images-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function withClient(size = 3_000_000) {
  const place = await withImages()
  return {
    ...place,
    image: imageOnDisk(layerOf(size)),
    docker: `docker://${host}/${place.name}`,
    login: `${place.project.developer.username}:${place.project.developer.token}`,
  }
}

const push = (login: string, ...rest: string[]) =>
  skopeo('copy', '--dest-tls-verify=false', `--dest-creds=${login}`, ...rest)
const pull = (login: string, ...rest: string[]) =>
  skopeo('copy', '--src-tls-verify=false', `--src-creds=${login}`, ...rest)

describe.skipIf(!registryInstalled)('skopeo', () => {
  test('pushes, inspects, copies and deletes images', async () => {
    const { docker, login, image, project } = await withClient()
    await push(login, image.name, `${docker}/app:v1`)
    // Once more: nothing is sent twice.
    await push(login, image.name, `${docker}/app:v2`)
    const inspected = JSON.parse(
      await skopeo('inspect', '--tls-verify=false', `--creds=${login}`, `${docker}/app:v1`),
    )
    expect(inspected).toMatchObject({ RepoTags: ['v1', 'v2'], Architecture: 'amd64' })
    const to = folder()
    await pull(login, `${docker}/app@${inspected.Digest}`, `dir:${to}`)
    expect(readdirSync(to)).toHaveLength(4)
    const both = ['--src-tls-verify=false', '--dest-tls-verify=false', `--src-creds=${login}`]
    await skopeo('copy', ...both, `--dest-creds=${login}`, `${docker}/app:v1`, `${docker}/other/app:v1`)
    const { body } = await project.reporter.get(`/projects/${project.id}/registry/repositories`)
    expect(body.map((one: { name: string }) => one.name)).toEqual(['app', 'other/app'])
    await skopeo('delete', '--tls-verify=false', `--creds=${login}`, `${docker}/app:v1`)
    await expect(pull(login, `${docker}/app:v1`, `dir:${folder()}`)).rejects.toThrow(/manifest unknown/)
  }, 180_000)

  test('is told why it may not', async () => {
    const { docker, image, project } = await withClient(1_000)
    const of = ({ username, token }: { username: string; token: string }) => `${username}:${token}`
    await expect(push(of(project.reporter), image.name, `${docker}:v1`)).rejects.toThrow(/denied/)
    await expect(push(of(project.stranger), image.name, `${docker}:v1`)).rejects.toThrow(
      /name unknown|not known/,
    )
    await expect(pull('x:wrong', `${docker}:v1`, `dir:${folder()}`)).rejects.toThrow(
      /unauthorized|authentication required|invalid username/,
    )
  }, 180_000)

  test('pushes with a deploy token that may, and pulls with one that may read', async () => {
    const { docker, image, project } = await withClient(1_000)
    const token = async (scopes: string[]) => {
      const { body } = await project.owner.post(`/projects/${project.id}/deploy_tokens`, {
        name: 'x',
        scopes,
      })
      return `${body.username}:${body.token}`
    }
    const reads = await token(['read_registry'])
    await push(await token(['write_registry']), image.name, `${docker}:v1`)
    await pull(reads, `${docker}:v1`, `dir:${folder()}`)
    await expect(push(reads, image.name, `${docker}:v2`)).rejects.toThrow(/denied|write_registry/)
  }, 180_000)

  test('pushes with the token of a job to its own project, and to no other', async () => {
    const job = await withRunningJob({ world: w })
    const { docker, image } = await withClient(1_000)
    const login = `gitlab-ci-token:${job.token}`
    const own = `docker://${host}/${job.fullPath.toLowerCase()}`
    await push(login, image.name, `${own}:v1`)
    await pull(login, `${own}:v1`, `dir:${folder()}`)
    await expect(push(login, image.name, `${docker}:v1`)).rejects.toThrow(/denied|not known/)
  }, 180_000)
})

describe.skipIf(!podmanRuns)('podman', () => {
  test('pulls, tags and pushes', async () => {
    const { name, login, docker, image } = await withClient()
    await push(login, image.name, `${docker}:v1`)
    const options = ['--tls-verify=false', `--creds=${login}`]
    const pulled = await podman('pull', '--quiet', ...options, `${host}/${name}:v1`)
    await podman('tag', pulled.trim(), `${host}/${name}/copy:v1`)
    await podman('push', '--quiet', ...options, `${host}/${name}/copy:v1`)
    const to = folder()
    await pull(login, `${docker}/copy:v1`, `dir:${to}`)
    expect(readdirSync(to)).toHaveLength(4)
  }, 180_000)
})

describe.skipIf(!craneInstalled)('crane', () => {
  test('copies, mounts, lists, validates, indexes and deletes', async () => {
    const { name, login, docker, image, project } = await withClient()
    await push(login, image.name, `${docker}:v1`)
    await crane('auth', 'login', host, '-u', project.developer.username, '-p', login.split(':')[1] ?? '')
    const one = `${host}/${name}`
    await crane('copy', '--insecure', `${one}:v1`, `${one}/copy:v1`)
    await crane('tag', '--insecure', `${one}:v1`, 'v2')
    expect((await crane('ls', '--insecure', one)).trim().split('\n')).toEqual(['v1', 'v2'])
    expect(await crane('validate', '--insecure', '--remote', `${one}/copy:v1`)).toContain('PASS')
    await crane('index', 'append', '--insecure', '-m', `${one}:v1`, '-t', `${one}:all`)
    expect(JSON.parse(await crane('manifest', '--insecure', `${one}:all`)).manifests).toHaveLength(1)
    await crane('delete', '--insecure', `${one}:v2`)
    expect((await crane('ls', '--insecure', one)).trim().split('\n')).toEqual(['all', 'v1'])
    expect(await crane('catalog', '--insecure', host)).toContain(name)
  }, 180_000)
})

describe.skipIf(!orasInstalled)('oras', () => {
  test('pushes any files, attaches others to them, finds and pulls those', async () => {
    const { name, login } = await withClient(1_000)
    const [username = '', password = ''] = login.split(':')
    const one = `${host}/${name}/files`
    const here = folder()
    writeFileSync(join(here, 'notes.txt'), 'what is in it')
    writeFileSync(join(here, 'sbom.json'), '{}')
    const as = ['--plain-http', '--username', username, '--password', password]
    await oras(here, 'push', ...as, `${one}:v1`, 'notes.txt:text/plain')
    await oras(here, 'attach', ...as, '--artifact-type', 'application/sbom', `${one}:v1`, 'sbom.json')
    const found = JSON.parse(await oras(here, 'discover', ...as, '--format', 'json', `${one}:v1`))
    expect(found.manifests).toMatchObject([{ artifactType: 'application/sbom' }])
    await oras(
      here,
      'copy',
      '--recursive',
      '--from-plain-http',
      '--to-plain-http',
      '--from-username',
      username,
      '--from-password',
      password,
      '--to-username',
      username,
      '--to-password',
      password,
      `${one}:v1`,
      `${host}/${name}/copy:v1`,
    )
    const there = folder()
    await oras(there, 'pull', ...as, `${host}/${name}/copy:v1`)
    expect(readFileSync(join(there, 'notes.txt'), 'utf8')).toBe('what is in it')
    expect((await oras(here, 'repo', 'tags', ...as, one)).trim()).toBe('v1')
    await oras(here, 'manifest', 'delete', ...as, '--force', `${one}:v1`)
    await expect(oras(there, 'pull', ...as, `${one}:v1`)).rejects.toThrow(/not found/)
  }, 180_000)
})
