import { sql } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { dayOf } from '#platform/http/time.ts'
import type { Puller } from '../../oci/bearer.ts'
import { denied } from '../../oci/errors.ts'
import { hasScope } from '../../oci/identify.ts'
import { nameOf } from '../names.ts'
import { readableProjects } from '../../readable-projects.ts'
import { type Exchange, queryOf } from './context.ts'
import { pageOf, readPage } from './lists.ts'

/** Lists the repositories that the caller may pull from, by their names. */
export async function answerCatalog({ req, reply, services }: Exchange, puller: Puller): Promise<unknown> {
  if (puller.kind !== 'user' || puller.job !== undefined) throw denied('only people list repositories')
  if (!hasScope(puller, 'api', 'read_registry', 'write_registry'))
    throw denied('this token needs the scope read_registry')
  const viewer: SqlViewer = {
    id: puller.id,
    admin: puller.admin,
    external: puller.external,
    today: dayOf(services.clock.now()),
    closed: services.addressRules.closedTo(req.ip),
  }
  const page = readPage(queryOf(req))
  const { rows } = await sql<{ path: string; name: string }>`
    with recursive ${readableProjects(viewer, 'container_registry')}
    select lower(n.full_path) as path, r.name
    from visible v join namespaces n on n.id = v.namespace_id join container_repositories r on r.project_id = v.id
    where r.status is null
      and (lower(n.full_path) || case r.name when '' then '' else '/' || r.name end) collate "C" > ${page.after}
    order by (lower(n.full_path) || case r.name when '' then '' else '/' || r.name end) collate "C"
    limit ${page.count + 1}`.execute(services.db)
  const { names, last } = pageOf(
    rows.map(({ path, name }) => nameOf(path, name)),
    page,
  )
  if (last !== undefined)
    reply.header('link', `</v2/_catalog?last=${encodeURIComponent(last)}&n=${page.count}>; rel="next"`)
  return reply.header('cache-control', 'private, no-cache').send({ repositories: names })
}
