import { createHash, randomBytes } from 'node:crypto'
import { open, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOf, startChild, temporaryFolder } from './children.ts'
import { atLeast, atMost, type Effort, type Measure, median, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-images'
const MEGABYTE = 1024 * 1024
/** The size of the blob. */
const MEGABYTES = Number(process.env['REGISTRY_MEGABYTES'] ?? 1024)
const RATE = 200

/** Writes a file of random bytes. @returns its digest. */
async function fileAt(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, 'w')
  for (let at = 0; at < MEGABYTES; at += 1) {
    const piece = randomBytes(MEGABYTE)
    hash.update(piece)
    await file.write(piece)
  }
  await file.close()
  return `sha256:${hash.digest('hex')}`
}

/** Reads an answer to its end. @returns milliseconds. */
function timeOf(url: string, headers: Record<string, string>, agent: Agent | false = false): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${String(answer.statusCode)}`))
      answer.resume().on('end', () => resolve(performance.now() - began))
    }).on('error', reject)
  })
}

/** Sends requests at even distances, answered or not, on kept connections. @returns the P99 in milliseconds */
async function steadily(url: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const times: Promise<number>[] = []
  const began = performance.now()
  for (let sent = 0; sent < seconds * RATE; sent += 1) {
    const wait = began + (sent * 1000) / RATE - performance.now()
    if (wait > 0) await pause(wait)
    times.push(timeOf(url, headers, agent))
  }
  const sorted = (await Promise.all(times)).toSorted((a, b) => a - b)
  agent.destroy()
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY)
}

/** Pulls through a virtual registry, against a bare server that streams the same file. */
export async function measureRegistry({ rounds, seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'blob')
  const manifest = join(folder.path, 'manifest')
  const digest = await fileAt(path)
  await writeFile(
    manifest,
    JSON.stringify({ schemaVersion: 2, layers: [{ digest, size: MEGABYTES * MEGABYTE }] }),
  )
  await using bare = await startChild<{ url: string }>('file-server.ts', [{ path, manifest }])
  await using forgelet = await startChild<{ url: string }>('registry-server.ts', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const { url } = forgelet.said
  const ask = async (method: string, at: string, body: object): Promise<{ id: number }> => {
    const answer = await fetch(`${url}/api/v4${at}`, {
      method,
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${at}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
  await ask('PUT', '/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  await ask('POST', '/features/container_virtual_registries', { value: true })
  const { id: group } = await ask('POST', '/groups', { name: 'bench', path: 'bench' })
  const { id } = await ask('POST', `/groups/${group}/-/virtual_registries/container/registries`, {
    name: 'bench',
  })
  await ask('POST', `/virtual_registries/container/registries/${id}/upstreams`, {
    name: 'bare',
    url: bare.said.url,
  })
  const scope = `repository:virtual_registries/container/${id}/a:pull`
  const given = await fetch(`${url}/jwt/auth?scope=${scope}`, {
    headers: { authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}` },
  })
  const { token }: { token: string } = JSON.parse(await given.text())
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.oci.image.manifest.v1+json' }
  const image = `${url}/v2/virtual_registries/container/${id}/a`
  await timeOf(`${image}/manifests/v1`, headers)
  const idle = await memoryOf(forgelet.pid)
  const miss = await timeOf(`${image}/blobs/${digest}`, headers)
  const afterMiss = await memoryOf(forgelet.pid)
  const shares: number[] = []
  for (let round = 0; round < Math.max(3, rounds); round += 1) {
    const there = await timeOf(bare.said.url, {})
    shares.push(there / (await timeOf(`${image}/blobs/${digest}`, headers)))
  }
  const most = Math.max(afterMiss, await memoryOf(forgelet.pid))
  const p99 = await steadily(`${image}/manifests/v1`, headers, Math.max(5, seconds))
  return [
    atMost(`cached manifest at ${RATE} requests a second: P99 in milliseconds`, p99, 20),
    atLeast(`cached blob of ${MEGABYTES} MB: share of the throughput of a bare server`, median(shares), 0.9),
    reported(`the same blob, which the bare server is the upstream of`, `${(miss / 1000).toFixed(1)} s`),
    atMost('memory beyond the idle server, in megabytes', Math.round(most - idle), 100),
  ]
}
