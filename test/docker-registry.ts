import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { digestOf, OCI_MANIFEST } from './fake-registry.ts'
import { freePort } from './redis.ts'
import { until } from './until.ts'

const isThere = (program: string) => spawnSync('which', [program]).status === 0

/** The registry of the CNCF, and a client of registries, both from Debian. */
export const registryInstalled = isThere('docker-registry') && isThere('skopeo')
if (!registryInstalled)
  console.warn('SKIPPED: docker-registry or skopeo is not installed, so nothing is pulled with real clients')

const run = promisify(execFile)

/** Runs skopeo. @returns what it prints. */
export async function skopeo(...args: string[]): Promise<string> {
  const { stdout } = await run('skopeo', ['--insecure-policy', ...args], { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** Podman with folders of its own. It runs where it may make containers. */
const podmanFolder = join(tmpdir(), 'forgelet-podman')
const podmanOptions = [
  `--root=${join(podmanFolder, 'root')}`,
  `--runroot=${join(podmanFolder, 'run')}`,
  '--storage-driver=vfs',
  '--cgroup-manager=cgroupfs',
]
export const podmanRuns = spawnSync('podman', [...podmanOptions, 'images']).status === 0
if (!podmanRuns) console.warn('SKIPPED: podman is not installed or does not run here')

export async function podman(...args: string[]): Promise<string> {
  return (await run('podman', [...podmanOptions, ...args])).stdout
}

/** A client of registries, a Go program: .ci/run builds it once, into this folder. */
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')

/** A program that CI builds; undefined where it is not there. */
function builtClient(name: string, version: string): string | undefined {
  const found = [join(cache, `forgelet-tools/${name}-${version}/${name}`), name].find(
    (path) => spawnSync(path, ['version']).status === 0,
  )
  if (found === undefined) console.warn(`SKIPPED: ${name} ${version} is not built here`)
  return found
}

/** Runs a client, which keeps its credentials in a folder of the tests. */
const runClient = (program: string | undefined, args: readonly string[], cwd = tmpdir()) =>
  run(program ?? '', args, {
    env: { ...process.env, DOCKER_CONFIG: join(tmpdir(), 'forgelet-clients') },
    cwd,
  })

const craneProgram = builtClient('crane', '0.22.1')
export const craneInstalled = craneProgram !== undefined
export async function crane(...args: string[]): Promise<string> {
  const { stdout, stderr } = await runClient(craneProgram, args)
  return stdout + stderr
}

const orasProgram = builtClient('oras', '1.2.3')
export const orasInstalled = orasProgram !== undefined
/** Runs oras in a folder. @returns what it writes, without its warnings */
export const oras = async (folder: string, ...args: string[]): Promise<string> =>
  (await runClient(orasProgram, args, folder)).stdout

const conformanceVersion = '0.0.0-20260831232431-97274622c111'
const conformanceProgram = join(cache, `forgelet-tools/conformance-${conformanceVersion}/conformance`)
/** The program of the OCI that tries its distribution specification on a registry; undefined where it is not built. */
export const conformance = existsSync(conformanceProgram) ? conformanceProgram : undefined
if (conformance === undefined) console.warn('SKIPPED: the conformance suite of the OCI is not built here')

/** The line of htpasswd for `me` and `secret`: bcrypt, which that registry wants. */
const PASSWORDS = 'me:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n'

/** A registry for one test. */
export async function dockerRegistry({ password = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'forgelet-registry-'))
  const port = await freePort()
  writeFileSync(join(folder, 'passwords'), PASSWORDS)
  writeFileSync(
    join(folder, 'config.yml'),
    `version: 0.1
log: { level: error }
storage: { filesystem: { rootdirectory: '${join(folder, 'data')}' } }
http: { addr: '127.0.0.1:${port}' }
${password ? `auth: { htpasswd: { realm: test, path: '${join(folder, 'passwords')}' } }` : ''}
`,
  )
  const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: 'ignore' })
  onTestFinished(async () => {
    await killed(child)
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => void (await fetch(`${url}/v2/`)))
  return {
    url,
    host: `127.0.0.1:${port}`,
    stop: () => killed(child),
  }
}

async function killed(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A layer with one file of this many bytes, which nobody has seen. */
export function layerOf(size: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'forgelet-layer-'))
  writeFileSync(join(folder, 'file'), randomBytes(size))
  const { stdout } = spawnSync('tar', ['--create', '--directory', folder, 'file'], {
    maxBuffer: 64 * 1024 * 1024,
  })
  rmSync(folder, { recursive: true, force: true })
  return stdout
}

/** An image in a folder, in the form that skopeo copies from: `oci:…`. */
export function imageOnDisk(layer: Buffer): { readonly name: string; readonly digest: string } {
  const folder = mkdtempSync(join(tmpdir(), 'forgelet-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true })
  const blob = (bytes: Buffer | string) => {
    const digest = digestOf(bytes)
    writeFileSync(join(folder, 'blobs', digest.replace(':', '/')), bytes)
    return { digest, size: Buffer.from(bytes).length }
  }
  const config = blob(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: {},
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  )
  const manifest = blob(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...blob(layer) }],
    }),
  )
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [{ mediaType: OCI_MANIFEST, ...manifest }] }),
  )
  return { name: `oci:${folder}`, digest: manifest.digest }
}
