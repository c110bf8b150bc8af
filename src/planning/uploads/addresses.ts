import { isServedPath } from '#identity/namespaces/paths.ts'
import type { ContainerKind } from '#platform/access/container-sources.ts'

/** What texts write: `/uploads/SECRET/NAME`, in the project or group that they are in. */
export const writtenUpload = (secret: string, filename: string): string => `/uploads/${secret}/${filename}`

const WRITTEN = /^\/uploads(\/[0-9a-f]{32}\/[^/?#]+)$/

/** Where the uploads of a project or group are on this server, without its host. */
export const uploadsOfPlace = (kind: ContainerKind, fullPath: string): string =>
  kind === 'group' ? `/groups/${fullPath}/-/uploads` : `/${fullPath}/uploads`

/** The address of an upload as a text has it, from everywhere. @param uploads that of {@link uploadsOfPlace} */
export const expandUpload = (address: string, uploads: string): string =>
  address.replace(WRITTEN, (_, rest: string) => uploads + rest)

/** The address of an upload that stays the same when its project or group moves. */
export const permanentUpload = (kind: ContainerKind, id: number, secret: string, filename: string): string =>
  `/-/${kind}/${id}${writtenUpload(secret, filename)}`

const BY_ID = /^\/-\/(project|group)\/(\d+)(\/uploads\/[0-9a-f]{32}\/[^/?]+)(?=$|\?)/
const OF_GROUP = /^\/groups\/([^?]+?)\/-(\/uploads\/[0-9a-f]{32}\/[^/?]+)(?=$|\?)/
const OF_PROJECT = /^\/([^/?]+)(\/[^?]+?)(\/uploads\/[0-9a-f]{32}\/[^/?]+)(?=$|\?)/

/** Turns the addresses of uploads outside of the API into those of the API, which knows who may read them. */
export function uploadUrl(url: string, method: string): string {
  if ((method !== 'GET' && method !== 'HEAD') || url.length > 8_192) return url
  if (!url.includes('/uploads/') || url.startsWith('/api/')) return url
  const place = (kind: string, name: string, rest: string) =>
    `/api/v4/${kind}s/${name.replaceAll('/', '%2F')}${rest}`
  if (BY_ID.test(url))
    return url.replace(BY_ID, (_, kind: string, id: string, rest: string) => place(kind, id, rest))
  if (OF_GROUP.test(url))
    return url.replace(OF_GROUP, (_, path: string, rest: string) => place('group', path, rest))
  return url.replace(OF_PROJECT, (all, first: string, path: string, rest: string) =>
    isServedPath(first) ? all : place('project', first + path, rest),
  )
}
