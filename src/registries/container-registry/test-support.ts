import { randomBytes } from 'node:crypto'
import { digestOf, OCI_INDEX, OCI_MANIFEST } from '#test/fake-registry.ts'
import { w, type World } from '#test/world.ts'

interface Asking {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: Buffer | string | ReadableStream<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The code of a refusal. */
  readonly code: string | undefined
}

/** A client of registries, as somebody with a token; without a secret, a stranger. */
export class Registry {
  readonly #base: string
  readonly #basic: string | undefined
  readonly #tokens = new Map<string, string>()

  constructor(secret: string | undefined, username = 'somebody', base = w.url) {
    this.#base = base
    this.#basic = secret === undefined ? undefined : Buffer.from(`${username}:${secret}`).toString('base64')
  }

  /** Asks for a path below `/v2/`, and gets a token as it is told to. */
  async ask(path: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Answer> {
    const url = path.startsWith('/v2/') ? `${this.#base}${path}` : `${this.#base}/v2/${path}`
    const send = (token: string | undefined) =>
      fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        ...(body !== undefined && {
          body: body instanceof Buffer ? new Uint8Array(body) : body,
          duplex: 'half' as const,
        }),
      })
    const key = `${method === 'GET' || method === 'HEAD' ? 'pull' : method} ${path.split(/\/(?:blobs|manifests|tags|referrers)/)[0]}`
    const first = await send(this.#tokens.get(key))
    const challenge = first.headers.get('www-authenticate')
    const scope = /scope="([^"]*)"/.exec(challenge ?? '')?.[1]
    if (first.status !== 401 || scope === undefined || this.#tokens.has(key)) return read(first)
    await first.arrayBuffer()
    const token = await this.token(scope)
    if (token === undefined) return read(await send(undefined))
    this.#tokens.set(key, token)
    return read(await send(token))
  }

  async token(...scopes: string[]): Promise<string | undefined> {
    const query = scopes.map((scope) => `&scope=${encodeURIComponent(scope)}`).join('')
    const answer = await fetch(`${this.#base}/jwt/auth?service=container_registry${query}`, {
      headers: this.#basic === undefined ? {} : { authorization: `Basic ${this.#basic}` },
    })
    const { token }: { token?: string } = JSON.parse(await answer.text())
    return token
  }

  /** Sends a blob as most clients do: begin, one piece, end. @returns its descriptor */
  async blob(name: string, bytes: Buffer | string = randomBytes(1_000)) {
    const all = Buffer.from(bytes)
    const digest = digestOf(all)
    const begun = await this.ask(`${name}/blobs/uploads/`, { method: 'POST' })
    const location = begun.headers.get('location') ?? ''
    if (begun.status !== 202) throw new Error(`POST: ${begun.status} ${begun.code}`)
    await this.ask(location, { method: 'PATCH', body: all })
    const put = await this.ask(`${location}?digest=${digest}`, { method: 'PUT' })
    if (put.status !== 201) throw new Error(`PUT: ${put.status} ${put.code}`)
    return { mediaType: 'application/octet-stream', digest, size: all.length, bytes: all }
  }

  manifest(name: string, reference: string, manifest: object | Buffer | string, type = OCI_MANIFEST) {
    const body =
      typeof manifest === 'string' || manifest instanceof Buffer ? manifest : JSON.stringify(manifest)
    return this.ask(`${name}/manifests/${reference}`, {
      method: 'PUT',
      headers: { 'content-type': type },
      body,
    })
  }

  /** Pushes an image with a layer of its own. */
  async image(name: string, tag: string, more: object = {}) {
    const config = await this.blob(name, JSON.stringify({ tag, at: randomBytes(8).toString('hex') }))
    const layer = await this.blob(name)
    const manifest = JSON.stringify(imageOf(config, [layer], more))
    const put = await this.manifest(name, tag, manifest)
    if (put.status !== 201) throw new Error(`manifest: ${put.status} ${put.code}`)
    return { config, layer, manifest, digest: digestOf(manifest), size: Buffer.byteLength(manifest) }
  }
}

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

const plain = ({ mediaType, digest, size }: Descriptor) => ({ mediaType, digest, size })

export const imageOf = (config: Descriptor, layers: readonly Descriptor[], more: object = {}) => ({
  schemaVersion: 2,
  mediaType: OCI_MANIFEST,
  config: { ...plain(config), mediaType: 'application/vnd.oci.image.config.v1+json' },
  layers: layers.map(plain),
  ...more,
})

export const indexOf = (images: readonly { digest: string; size: number }[]) => ({
  schemaVersion: 2,
  mediaType: OCI_INDEX,
  manifests: images.map(({ digest, size }) => ({ mediaType: OCI_MANIFEST, digest, size })),
})

async function read(answer: Response): Promise<Answer> {
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = bytes.toString()
  const code: string | undefined = text.startsWith('{"errors"') ? JSON.parse(text).errors[0].code : undefined
  return { status: answer.status, headers: answer.headers, bytes, code }
}

/** A project, and a client for each of its people. */
export async function withImages(world: World = w, options: Parameters<World['project']>[0] = {}) {
  const project = await world.project(options)
  const of = (person: { readonly token: string }) => new Registry(person.token, 'somebody', world.url)
  return {
    project,
    name: project.fullPath.toLowerCase(),
    of,
    developer: of(project.developer),
    reporter: of(project.reporter),
    maintainer: of(project.maintainer),
    owner: of(project.owner),
  }
}
