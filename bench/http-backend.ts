// What Forgelet's git over HTTP is compared with: `git http-backend` behind the same HTTP server, on the folder given.
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHttpServer } from '#platform/http/connections.ts'
import { defaultTransport } from '#platform/http/transport.ts'
// The whole program, because each collection of garbage looks at it, and transfers cause many.
import '#app.ts'

const folder: string = JSON.parse(process.argv[2] ?? '""')

/** Starts the program as RFC 3875 has it, and passes bytes on as they come. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const { headers } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: 'bench',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
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

const limits = { maxConnections: 100, maxConnectionsPerAddress: 100, trustedProxies: [], onRefusal: () => {} }
const server = createHttpServer(serve, { ...defaultTransport, ...limits })
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
