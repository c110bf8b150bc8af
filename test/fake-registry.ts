import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export const digestOf = (bytes: Buffer | string) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json'
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json'
export const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json'

interface Manifest {
  readonly bytes: Buffer
  readonly type: string
}

/** What somebody asked for. */
export interface Question {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

/** @returns true when it has answered, or will. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => boolean

/** Answers everything in one way. */
export const always =
  (status: number, headers: Record<string, string> = {}, body: Buffer | string = ''): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
    return true
  }

interface Auth {
  readonly scheme: 'basic' | 'bearer'
  readonly username: string
  readonly password: string
  /** How it asks for that, in a header each; by default as registries do that know one way. */
  readonly challenges?: readonly string[]
}

/** A container registry that serves from memory, and misbehaves as a test wants it. */
export class FakeRegistry implements AsyncDisposable {
  readonly manifests = new Map<string, Manifest>()
  readonly blobs = new Map<string, Buffer>()
  readonly questions: Question[] = []
  /** Answers instead of the registry. */
  behave: Behaviour = () => false
  /** Who may ask, and how they say who they are; by default nobody need. */
  auth: Auth | undefined
  /** With what it answers HEAD, as some public registries do. */
  refusesHead: number | undefined
  /** Tokens that it has given. */
  readonly tokens = new Set<string>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  static async open(): Promise<FakeRegistry> {
    const registry = new FakeRegistry()
    registry.#server.listen(0, '127.0.0.1')
    await once(registry.#server, 'listening')
    return registry
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  /** How often it was asked for paths of this form. */
  asked(path: RegExp, method = 'GET'): number {
    return this.questions.filter((one) => one.method === method && path.test(one.url)).length
  }

  blob(bytes: Buffer | string): { digest: string; size: number } {
    const all = Buffer.from(bytes)
    const digest = digestOf(all)
    this.blobs.set(digest, all)
    return { digest, size: all.length }
  }

  /** Puts a manifest there, under its digest and perhaps a tag. */
  manifest(image: string, tag: string | undefined, content: object | Buffer, type = OCI_MANIFEST) {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
    const digest = digestOf(bytes)
    this.manifests.set(`${image} ${digest}`, { bytes, type })
    if (tag !== undefined) this.manifests.set(`${image} ${tag}`, { bytes, type })
    return { digest, bytes, size: bytes.length }
  }

  /** An image of one layer, which clients can copy. */
  image(name: string, tag: string, layer: Buffer = randomBytes(2_000), type = OCI_MANIFEST) {
    const of = (kind: 'config' | 'layer') =>
      type === OCI_MANIFEST
        ? `application/vnd.oci.image.${kind === 'config' ? 'config.v1+json' : 'layer.v1.tar'}`
        : kind === 'config'
          ? 'application/vnd.docker.container.image.v1+json'
          : 'application/vnd.docker.image.rootfs.diff.tar'
    const config = this.blob(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        config: {},
        rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
      }),
    )
    const stored = this.blob(layer)
    const manifest = this.manifest(
      name,
      tag,
      {
        schemaVersion: 2,
        mediaType: type,
        config: { mediaType: of('config'), ...config },
        layers: [{ mediaType: of('layer'), ...stored }],
      },
      type,
    )
    return { manifest, config, layer: stored }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request
    this.questions.push({ method, url, headers })
    response.on('error', () => {})
    if (this.behave(request, response)) return
    if (url.startsWith('/token')) return this.#giveToken(request, response)
    if (!this.#isAllowed(headers.authorization)) return this.#challenge(url, response)
    if (method === 'HEAD' && this.refusesHead !== undefined)
      return void response.writeHead(this.refusesHead).end()
    this.serve(request, response)
  }

  /** Answers as a registry does. */
  serve({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = url.split('?')
    const [, image = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|tags|referrers)\/([^/]+)$/.exec(path) ?? []
    const manifest = this.manifests.get(`${image} ${reference}`)
    const blob = this.blobs.get(reference)
    if (kind === 'manifests' && manifest !== undefined) {
      const etag = `"${digestOf(manifest.bytes)}"`
      const more = { etag, 'docker-content-digest': digestOf(manifest.bytes) }
      if (headers['if-none-match'] === etag) return void response.writeHead(304, more).end()
      response.writeHead(200, {
        ...more,
        'content-type': manifest.type,
        'content-length': manifest.bytes.length,
      })
      return void response.end(method === 'HEAD' ? undefined : manifest.bytes)
    }
    if (kind === 'blobs' && blob !== undefined) {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
      const part = blob.subarray(from)
      response.writeHead(from > 0 ? 206 : 200, {
        'content-length': part.length,
        ...(from > 0 && { 'content-range': `bytes ${from}-${blob.length - 1}/${blob.length}` }),
      })
      return void response.end(method === 'HEAD' ? undefined : part)
    }
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"errors":[{"code":"UNKNOWN"}]}')
  }

  #isAllowed(header: string | undefined): boolean {
    if (this.auth === undefined) return true
    const { scheme } = this.auth
    return scheme === 'basic'
      ? header === this.#basic()
      : this.tokens.has(header?.replace('Bearer ', '') ?? '')
  }

  #basic(): string {
    return `Basic ${Buffer.from(`${this.auth?.username}:${this.auth?.password}`).toString('base64')}`
  }

  #challenge(url: string, response: ServerResponse): void {
    const image = /^\/v2\/(.+)\/(?:manifests|blobs|tags)\//.exec(url)?.[1]
    const header =
      this.auth?.scheme === 'basic'
        ? 'Basic realm="fake"'
        : `Bearer realm="${this.url}/token",service="fake, \\"registry\\"",scope="repository:${image}:pull"`
    response.writeHead(401, { 'www-authenticate': [...(this.auth?.challenges ?? [header])] }).end()
  }

  #giveToken({ headers }: IncomingMessage, response: ServerResponse): void {
    if (headers.authorization !== this.#basic()) return void response.writeHead(401).end()
    const token = randomBytes(12).toString('hex')
    this.tokens.add(token)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ token, expires_in: 60 }))
  }
}
