/** The files of an archive, besides those of its parts. */
export const PROJECT = 'project.json'
export const BUNDLE = 'repository.bundle'
/** The folder of the objects of Git LFS, each under its id, and the file that tells other programs which repositories they belong to. */
export const LFS_OBJECTS = 'lfs-objects'
export const LFS_LIST = 'lfs-objects.json'

/** The id of the LFS object that an entry of an archive holds: the SHA-256 of its bytes, in hexadecimal. */
export const lfsObjectIn = (name: string): string | undefined =>
  /^lfs-objects\/([0-9a-f]{64})$/.exec(name)?.[1]
