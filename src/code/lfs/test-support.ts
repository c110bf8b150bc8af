import { createHash } from 'node:crypto'
import { w } from '#test/world.ts'

export const LFS_TYPE = 'application/vnd.git-lfs+json'

/** What a request of LFS was answered. */
interface Answered {
  readonly status: number
  readonly headers: Headers
  /** Tests say by their expectations what it should be. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** An object: its bytes, and what a batch says of it. */
export interface LfsObject {
  readonly bytes: Buffer
  readonly oid: string
  readonly size: number
  /** The file of a repository that stands for it. */
  readonly pointer: string
}

export function lfsObject(content: string | Buffer): LfsObject {
  const bytes = Buffer.from(content)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const size = bytes.length
  return {
    bytes,
    oid,
    size,
    pointer: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`,
  }
}

export const basicOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}` }

/** Sends JSON to the LFS API of a repository. @param rest what follows `/info/lfs` */
export async function ask(
  path: string,
  rest: string,
  token: string | undefined,
  body: object | string,
): Promise<Answered> {
  const answer = await fetch(`${w.url}/${path}.git/info/lfs${rest}`, {
    method: 'POST',
    headers: { accept: LFS_TYPE, 'content-type': LFS_TYPE, ...basicOf(token) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

export const batch = (
  path: string,
  token: string | undefined,
  operation: 'download' | 'upload',
  objects: readonly { readonly oid: string; readonly size: number }[],
): Promise<Answered> =>
  ask(path, '/objects/batch', token, {
    operation,
    transfers: ['basic'],
    objects: objects.map(({ oid, size }) => ({ oid, size })),
  })

/** Sends bytes for an object, as they are announced or not. */
export async function put(
  path: string,
  token: string | undefined,
  { oid, size }: Pick<LfsObject, 'oid' | 'size'>,
  bytes: Buffer,
) {
  const answer = await fetch(`${w.url}/${path}.git/gitlab-lfs/objects/${oid}/${size}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', ...basicOf(token) },
    body: new Uint8Array(bytes),
  })
  const text = await answer.text()
  return { status: answer.status, message: text === '' ? undefined : JSON.parse(text).message }
}

/** Uploads an object as it is. */
export async function upload(path: string, token: string, object: LfsObject): Promise<void> {
  const { status, message } = await put(path, token, object, object.bytes)
  if (status !== 200) throw new Error(`the upload answered ${status}: ${message}`)
}

export const download = (
  path: string,
  token: string | undefined,
  oid: string,
  headers: Record<string, string> = {},
) => fetch(`${w.url}/${path}.git/gitlab-lfs/objects/${oid}`, { headers: { ...basicOf(token), ...headers } })
