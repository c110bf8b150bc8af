import type { FastifyRequest } from 'fastify'
import { forbidden } from '#platform/refusals.ts'
import { count, list, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

/** Where a project can be imported from: a repository with a URL, or an archive. */
type ImportSourceName = 'git' | 'gitlab_project'

export const importSettings = {
  import_sources: setting(
    list(text({ max: 255 })),
    ['git', 'gitlab_project'],
    'The sources from which projects may be imported: `git` for URLs, `gitlab_project` for archives. Others are kept.',
  ),
  max_import_size: setting(
    count(),
    5_120,
    'The maximum size of an import, in megabytes; 0 means no limit but the room on the disk.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof importSettings> {}
}

const MEGABYTE = 1024 * 1024

/** Bytes that an import may have; 0 for no limit. */
export const importLimit = ({ max_import_size }: ValuesOf<typeof importSettings>): number =>
  max_import_size * MEGABYTE

/** @throws 403 when administrators do not allow imports from this source */
export function assertImportSource(
  { server }: Pick<FastifyRequest, 'server'>,
  source: ImportSourceName,
): void {
  if (server.services.settings().import_sources.includes(source)) return
  throw forbidden(`projects cannot be imported from ${source}: it is not one of the import_sources`)
}
