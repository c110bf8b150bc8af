import { RegistryError } from '../../oci/errors.ts'
import { assertName, type PullTarget, readPath } from '../../oci/names.ts'

/** What a path below `/v2/` names. */
export type Target =
  | PullTarget
  /** The place where blobs begin to be sent. */
  | { readonly kind: 'uploads'; readonly image: string }
  | { readonly kind: 'upload'; readonly image: string; readonly id: string }

const UPLOAD = /^(.+)\/blobs\/uploads\/([\w-]{0,64})$/

/** @throws RegistryError 404 for other paths, 400 for names out of the grammar */
export function readTarget(path: string): Target {
  const [, image, id] = UPLOAD.exec(path.endsWith('/blobs/uploads') ? `${path}/` : path) ?? []
  if (image === undefined || id === undefined) return readPath(path)
  assertName(image)
  return id === '' ? { kind: 'uploads', image } : { kind: 'upload', image, id }
}

/** @throws 405 with what a path takes */
export function refuseMethod(allow: string): never {
  throw new RegistryError(405, 'UNSUPPORTED', 'this path does not take this method', { allow })
}
