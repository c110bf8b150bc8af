import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, type NotAllowed } from '#platform/refusals.ts'
import type { ContainerRow } from './containers.ts'
import { levels } from './roles.ts'
import type { ActingDeployToken, ActingJob, Viewer } from './viewer.ts'

// What jobs reach by their tokens: their own project, and the projects that let them in. Everywhere else they are strangers, whoever
// started them. What deploy tokens reach: their project, or all below their group.

/** Whether a project lets in only the jobs of its allow-list: `ci_inbound_job_token_scope_enabled` of its stored settings. */
export const hasAllowList = (settings: Json): boolean =>
  typeof settings !== 'object' ||
  settings === null ||
  Array.isArray(settings) ||
  settings['ci_inbound_job_token_scope_enabled'] !== false

/** Whether a project lets a job in. */
export async function letsIn(
  db: Db | Tx['db'],
  { id, settings }: Pick<ContainerRow, 'id' | 'settings'>,
  job: ActingJob,
): Promise<boolean> {
  if (id === job.projectId || (!job.isConfined && !hasAllowList(settings))) return true
  const link = await db
    .selectFrom('ci_job_token_scope_links')
    .select('id')
    .where('project_id', '=', id)
    .where('namespace_id', '=', (eb) => eb.fn.any(eb.val([...job.traversalIds])))
    .limit(1)
    .executeTakeFirst()
  return link !== undefined
}

/** The same for every row of `projects` as `p`. */
export const lettingIn = (job: ActingJob): RawBuilder<boolean> => sql<boolean>`(p.id = ${job.projectId}
  or (${!job.isConfined} and p.settings -> 'ci_inbound_job_token_scope_enabled' = 'false')
  or exists (select from ci_job_token_scope_links l
    where l.project_id = p.id and l.namespace_id = any(${[...job.traversalIds]}::bigint[])))`

/** Whether a job still runs, for what was given to it and would outlive it. */
export async function stillRuns(db: Db, jobId: number): Promise<boolean> {
  const job = await db
    .selectFrom('ci_running_jobs as t')
    .innerJoin('ci_jobs as j', 'j.id', 't.job_id')
    .select('j.id')
    .where('t.job_id', '=', jobId)
    .where('j.status', 'in', ['running', 'canceling'])
    .executeTakeFirst()
  return job !== undefined
}

/** A project or group as somebody may see it. */
interface Seen {
  readonly row: ContainerRow
  readonly viewer: Viewer
  /** Whether the viewer is a job that is not let in, and so counts as somebody without any role. */
  readonly isStranger: boolean
}

/** A project as far as a viewer's job or deploy token reaches. */
export async function projectWithinReach(
  db: Db | Tx['db'],
  row: ContainerRow,
  viewer: Viewer,
): Promise<Seen> {
  const { job, deployToken } = viewer
  if (deployToken !== undefined) return withinReachOf(deployToken, row, viewer)
  if (job === undefined) return { row, viewer, isStranger: false }
  return (await letsIn(db, row, job)) ? asPerson(row, viewer, job) : asStranger(row, viewer)
}

/** The same of a group, which lets in the jobs of the projects below it. */
export function groupWithinReach(row: ContainerRow, viewer: Viewer): Seen {
  const { job, deployToken } = viewer
  if (deployToken !== undefined) return withinReachOf(deployToken, row, viewer)
  if (job === undefined) return { row, viewer, isStranger: false }
  const isBelow = job.traversalIds.includes(row.namespace_id)
  return isBelow ? asPerson(row, viewer, job) : asStranger(row, viewer)
}

const asPerson = (row: ContainerRow, viewer: Viewer, { isOfAdmin }: ActingJob): Seen => ({
  row,
  viewer: { ...viewer, admin: isOfAdmin },
  isStranger: false,
})

/** Where it reaches, a deploy token may do what developers may, as far as routes take it. */
const withinReachOf = ({ namespaceId }: ActingDeployToken, row: ContainerRow, viewer: Viewer): Seen =>
  row.traversal_ids.includes(namespaceId)
    ? { row: { ...row, level: levels.developer }, viewer, isStranger: false }
    : asStranger(row, viewer)

const asStranger = (row: ContainerRow, viewer: Viewer): Seen => ({
  row: { ...row, level: 0, reads_below: false },
  viewer,
  isStranger: true,
})

/** The refusal for somebody who could see a project that does not let their job in. Clients know the sentence. */
export const notLetIn = (job: ActingJob, { path }: Pick<ContainerRow, 'path'>): NotAllowed =>
  forbidden(`Authentication by CI/CD job token not allowed from ${job.path} to ${path}.`)
