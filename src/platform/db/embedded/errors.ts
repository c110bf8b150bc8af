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

/** The `code` of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The message of an unknown error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
