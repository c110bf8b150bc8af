/** Another live Forgelet, or a PostgreSQL that we cannot end, owns the data folder. */
export class DataFolderBusy extends Error {
  override name = 'DataFolderBusy'
}

/** The cluster in the data folder belongs to another PostgreSQL major version. */
export class ClusterVersionMismatch extends Error {
  override name = 'ClusterVersionMismatch'
}

/** The embedded PostgreSQL cannot run here. The message names the alternatives. */
export class EmbeddedUnavailable extends Error {
  override name = 'EmbeddedUnavailable'
}

/** What to do about the end of a program of PostgreSQL, from its last lines; undefined where they say something else. */
export function adviceOn(lines: string, dataDir: string): string | undefined {
  const another = 'or choose another data folder with FORGELET_DATA'
  if (/No space left on device|Disk quota exceeded/.test(lines))
    return `The disk of ${dataDir} is full: make room (a new instance takes some 100 MB), ${another}.`
  if (/Read-only file system/.test(lines))
    return `The disk of ${dataDir} is mounted read-only: mount it read-write, ${another}.`
  return undefined
}

/** The `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The message of an unknown error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
