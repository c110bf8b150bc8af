import { createReadStream, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'

// A bare server of one file and one manifest: the measure, and the upstream of the registry that is measured.

const { path, manifest }: { path: string; manifest: string } = JSON.parse(process.argv[2] ?? '{}')
const { size } = statSync(path)
const bytes = readFileSync(manifest)

const server = createServer(({ url = '' }, response) => {
  if (url.includes('/manifests/')) {
    response.writeHead(200, {
      'content-type': 'application/vnd.oci.image.manifest.v1+json',
      'content-length': bytes.length,
    })
    response.end(bytes)
    return
  }
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' })
  createReadStream(path).pipe(response)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
