import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commits } from './repositories.ts'

/** What a server of repositories does besides serving them. */
export interface SourceOptions {
  /** `user:password` that it asks for. */
  readonly credentials?: string
  /** Answers instead of the repository; true when it did. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean
}

/** A server of Git repositories for one test: the real `git http-backend` behind HTTP. */
export async function sourceServer({ credentials, instead }: SourceOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-source-'))
  const seen: IncomingMessage[] = []
  const expected = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`
  const server = createServer((request, response) => {
    seen.push(request)
    if (instead?.(request, response) === true) return
    if (credentials !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="source"' }).end()
    } else answer(folder, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return {
    port,
    url: `http://127.0.0.1:${port}/sample.git`,
    seen,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
    /** Runs git in the repository. */
    git: (args: readonly string[], input?: Buffer) => git(join(folder, 'sample.git'), args, input),
    /** Makes the repository, with two commits on `trunk`, which is its default branch, unless it is to be empty. */
    async fill(stream: Buffer | undefined = sample()) {
      await git(folder, ['init', '--quiet', '--bare', '--initial-branch=trunk', 'sample.git'])
      const args = ['fast-import', '--quiet', '--force', '--done']
      if (stream.length > 0) {
        await git(join(folder, 'sample.git'), args, Buffer.concat([stream, Buffer.from('done\n')]))
      }
    },
  }
}

const sample = () =>
  commits(
    { branch: 'trunk', files: { 'README.md': '# Sample\n', 'src/main.ts': 'export {}\n' }, message: 'Begin' },
    { branch: 'trunk', files: { 'README.md': '# Sample\n\nMore.\n' }, message: 'Say more' },
  )

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent', LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' }

async function git(cwd: string, args: readonly string[], input?: Buffer): Promise<string> {
  const child = spawn('git', args, { cwd, env: environment, stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stdin.on('error', () => {}).end(input)
  const [code]: unknown[] = await once(child, 'close')
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${String(code)}`)
  return out.trim()
}

/** Starts the program as RFC 3875 has it. */
function answer(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const { headers, method } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  let head = Buffer.alloc(0)
  const onHead = (piece: Buffer): void => {
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', onHead)
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const at = line.indexOf(': ')
      if (line.startsWith('Status: ')) response.statusCode = Number(line.slice(8, 11))
      else response.setHeader(line.slice(0, at), line.slice(at + 2))
    }
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on('data', onHead)
}
