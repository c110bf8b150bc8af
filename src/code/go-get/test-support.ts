import { createServer, request, type Server } from 'node:http'
import type { RequestListener } from 'node:http'
import { w } from '#test/world.ts'

/** Paths of modules have a host with a dot, and no port. A proxy leads from there to the server of tests. */
export const HOST = 'code.example.com'

export const portOf = (server: Pick<Server, 'address'>): number => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Passes requests on to the server of tests, whatever host they are for. */
export const toServer: RequestListener = (req, res) => {
  const { port } = new URL(w.url)
  const { pathname, search, host } = new URL(req.url ?? '', `http://${HOST}`)
  const headers = { ...req.headers, host: req.url?.startsWith('/') ? req.headers.host : host }
  const there = { port, host: '127.0.0.1', method: req.method, path: pathname + search, headers }
  const onwards = request(there, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(res)
  })
  req.pipe(onwards.on('error', () => res.destroy()))
}

/** A proxy that leads from {@link HOST} to the server of tests. There is no TLS. */
export async function openProxy(): Promise<Server> {
  const proxy = createServer(toServer)
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  return proxy
}

/** The environment in which go gets modules of {@link HOST} from repositories, through a proxy. */
export const directly = (proxy: Server): Record<string, string> => ({
  GOPROXY: 'direct',
  GOPRIVATE: HOST,
  GOINSECURE: HOST,
  GONOSUMDB: HOST,
  GOVCS: '*:git',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  http_proxy: `http://127.0.0.1:${portOf(proxy)}`,
  https_proxy: `http://127.0.0.1:${portOf(proxy)}`,
  no_proxy: '',
})
