import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { ImportKind, ImportState } from '#platform/db/schema.ts'
import { badRequest } from '#platform/refusals.ts'
import { text } from '#platform/http/schema.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { ExtensionParameters, ProjectExtension, ValuesOf } from '#tenancy/projects/extension-points.ts'
import { importRepository } from './import-repository.ts'
import { scheduleImport, sealCredentials } from './import-row.ts'
import { assertImportSource } from './settings.ts'
import { type ImportSource, readSource, refusedUrl } from './source-url.ts'

const creation = {
  import_url: text({
    max: 2_048,
    description:
      'The http or https URL of a Git repository to begin with, with a user name and password if need be.',
  }),
}

/** Under this name the check of a request leaves what is to be imported. No client can send it. */
const source: unique symbol = Symbol('source of an import')

/** What is kept of a source. */
interface KeptSource {
  readonly url: string
  readonly credentials: Buffer | null
}

/** What presenting the import of a project needs. */
export interface ImportColumn {
  readonly kind: ImportKind
  readonly url: string | null
  readonly state: ImportState
  readonly error: string | null
}

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionParameters extends Partial<ValuesOf<typeof creation>> {
    readonly [source]?: KeptSource
  }
  interface ExtensionColumns {
    readonly import: ImportColumn | null
  }
}

/** Milliseconds that the look-up of a host may keep a request waiting. */
const PATIENCE = 10_000

/** What imports add to projects. */
export const importsOfProjects: ProjectExtension = {
  parameters: { creation },
  async check(asked, req) {
    const { import_url, initialize_with_readme } = asked
    if (import_url === undefined || import_url === '') return
    assertImportSource(req, 'git')
    if (initialize_with_readme === true) {
      throw badRequest('import_url and initialize_with_readme cannot be combined')
    }
    const found = readSource(import_url)
    await assertAllowed(req, found)
    const { secrets } = req.server.services
    const { url, credentials } = found
    const kept = {
      url,
      credentials: credentials === undefined ? null : sealCredentials(secrets, credentials),
    }
    Object.assign(asked, { [source]: kept })
  },
  async afterCreation(tx, project, asked: ExtensionParameters) {
    const kept = asked[source]
    if (kept === undefined) return
    await scheduleImport(tx, project, { kind: 'git', ...kept })
    await enqueue(tx, importRepository, { project_id: project.id })
  },
  columns: () => [
    sql<ImportColumn | null>`(
      select json_build_object('kind', i.kind, 'url', i.url, 'state', i.state, 'error', i.error)
      from project_imports i where i.project_id = p.id)`.as('import'),
  ],
  imported: sql<boolean>`exists (select from project_imports i where i.project_id = p.id)`,
  present({ import: imported, direct_level, inherited_level }, { viewer }) {
    if (imported === null) return {}
    const { kind, url, state, error } = imported
    const isMaintainer = viewer.admin || Math.max(direct_level, inherited_level) >= levels.maintainer
    return {
      import_status: state,
      // Where something comes from may be private, and the error may tell it.
      ...(isMaintainer && { import_type: kind, import_url: url, import_error: error }),
    }
  },
}

/** Says at once what the job would only find out later. @throws 400 */
async function assertAllowed(req: FastifyRequest, { url }: ImportSource): Promise<void> {
  try {
    await req.server.services.outgoing.assertAllowed(url, AbortSignal.timeout(PATIENCE))
  } catch (error) {
    // A name that cannot be looked up now may be known when the job runs.
    if (!(error instanceof OutgoingFailed)) return
    throw refusedUrl(`is blocked: ${error.message}`)
  }
}
