/** The files of an archive, besides those of its parts. */
export const PROJECT = 'project.json'
export const BUNDLE = 'repository.bundle'
/** The folder of the objects of Git LFS, each under its id, and the file that tells other programs which repositories they belong to. */
export const LFS_OBJECTS = 'lfs-objects'
export const LFS_LIST = 'lfs-objects.json'

/** The folder of the files that people uploaded, each under the SHA-256 of its bytes. */
export const UPLOADS = 'uploads'

const CONTENT = new RegExp(`^(${LFS_OBJECTS}|${UPLOADS})/([0-9a-f]{64})$`)

/** A file whose name says what is in it. */
export interface ContentName {
  readonly folder: string
  /** In hexadecimal. */
  readonly sha256: string
}

/** What an entry of an archive says of its content, by its name: for objects of Git LFS, and what people uploaded. */
export function contentIn(name: string): ContentName | undefined {
  const [, folder, sha256] = CONTENT.exec(name) ?? []
  return folder === undefined || sha256 === undefined ? undefined : { folder, sha256 }
}
