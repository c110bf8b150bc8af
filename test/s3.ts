import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { onTestFinished } from 'vitest'
import { freePort } from './redis.ts'
import { until } from './until.ts'

/** A real S3-compatible server, a Go program: .ci/run builds it once, into this folder. */
const VERSION = '1.8.0'
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const built = join(cache, `forgelet-tools/versitygw-${VERSION}/versitygw`)
const program = [built, 'versitygw'].find((path) => spawnSync(path, ['--version']).status === 0)
export const s3Program = program
export const s3Installed = s3Program !== undefined
if (!s3Installed) console.warn(`SKIPPED: versitygw ${VERSION} is not built here, so nothing is tried with S3`)

const [accessKey, secret, bucket] = ['forgelet-test', 'a-secret-of-the-tests', 'files']

/** What a proxy in front of the server does with a request. */
export type Fault = 'pass' | 'busy' | 'refuse' | 'hang' | 'cut' | 'cut the answer'

export type Behaviour = (method: string, url: string) => Fault

/** An S3 server for one test, with a bucket, behind a proxy that can misbehave. */
export async function s3() {
  const folder = mkdtempSync(join(tmpdir(), 'forgelet-s3-'))
  mkdirSync(join(folder, 'data'))
  const port = await freePort()
  const child = spawn(
    program ?? '',
    [
      '--port',
      `127.0.0.1:${port}`,
      '--access',
      accessKey,
      '--secret',
      secret,
      '--quiet',
      'posix',
      join(folder, 'data'),
    ],
    { stdio: 'ignore' },
  )
  onTestFinished(async () => {
    await killed(child)
    rmSync(folder, { recursive: true, force: true })
  })
  await until(() => reachable(port))
  const client = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secret, service: 's3', retries: 0 })
  const made = await client.fetch(`http://127.0.0.1:${port}/${bucket}`, { method: 'PUT' })
  if (!made.ok) throw new Error(`No bucket was made: ${made.status} ${await made.text()}`)
  const { proxyPort, control } = await misbehaving(port)
  const urlOf = (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ endpoint: `http://127.0.0.1:${proxyPort}`, ...more })
    return `s3://${bucket}/some/prefix?${query.toString()}`
  }
  return {
    control,
    /** The environment of a server that keeps its files here. */
    environment: (more?: Record<string, string>) => ({
      FORGELET_BLOBS: urlOf(more),
      FORGELET_BLOBS_ACCESS_KEY: accessKey,
      FORGELET_BLOBS_SECRET: secret,
    }),
    /** The keys of all objects, without the prefix, by the files of the server. */
    keys: () => filesBelow(join(folder, 'data', bucket, 'some/prefix')),
    /** How many uploads in parts are open. */
    uploads: async () => {
      const answer = await client.fetch(`http://127.0.0.1:${port}/${bucket}?uploads`)
      return [...(await answer.text()).matchAll(/<UploadId>/g)].length
    },
  }
}

/** The files below a folder, by their paths from there. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true }).map(String)
  return names.filter((name) => statSync(join(folder, name)).isFile()).toSorted()
}

async function killed(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function reachable(port: number) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}

async function misbehaving(target: number) {
  const control = { behave: (() => 'pass') as Behaviour, requests: [] as string[] }
  const server = createServer((incoming, answer) => {
    const [method, url] = [incoming.method ?? '', incoming.url ?? '']
    control.requests.push(`${method} ${url}`)
    const fault = control.behave(method, url)
    if (fault === 'pass' || fault === 'cut the answer') forward(incoming, answer, target, fault)
    else if (fault === 'cut') incoming.socket.destroy()
    else if (fault === 'busy' || fault === 'refuse') {
      incoming.resume().on('end', () => {
        answer.writeHead(fault === 'busy' ? 503 : 403).end('<Error><Code>SlowDown</Code></Error>')
      })
    } else incoming.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  return { control, proxyPort: typeof address === 'object' && address !== null ? address.port : 0 }
}

function forward(incoming: IncomingMessage, answer: ServerResponse, port: number, fault: Fault) {
  const { method, url: path, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, method, path, headers }, (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers)
    if (fault === 'pass') {
      received.pipe(answer)
      return
    }
    const half = Math.ceil(Number(received.headers['content-length'] ?? 0) / 2)
    let sent = 0
    received.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, half - sent)
      sent += part.length
      answer.write(part, () => sent >= half && incoming.socket.destroy())
      if (sent >= half) received.destroy()
    })
  })
  onward.on('error', () => incoming.socket.destroy())
  incoming.pipe(onward)
}
