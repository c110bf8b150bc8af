import { sql } from 'kysely'
import { findTagByName } from '#code/tags/find-tag.ts'
import { readTags } from '#code/git/objects.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { freezePeriodsOf } from '#delivery/freeze-periods/queries.ts'
import { nextRun } from '#platform/cron.ts'
import type { Db } from '#platform/db/pool.ts'

/** What variables tell of the time and place of a pipeline. */
export interface Circumstances {
  /** Up to four open merge requests of the branch: `group/project!1,group/project!2`. */
  readonly openMergeRequests: string | undefined
  readonly isFrozen: boolean
  readonly scheduleDescription: string | undefined
  /** Of an annotated tag. */
  readonly tagMessage: string | undefined
}

interface Place {
  readonly projectId: number
  /** The branch or tag without a prefix. */
  readonly name: string
  readonly isTag: boolean
  readonly scheduleId: number | undefined
  readonly repository: StoredRepository | undefined
}

/** Finds out what surrounds a pipeline that begins now. */
export async function circumstancesOf(db: Db, place: Place, now: Date): Promise<Circumstances> {
  return {
    openMergeRequests: place.isTag ? undefined : await openMergeRequests(db, place),
    isFrozen: await isFrozen(db, place.projectId, now),
    scheduleDescription: await descriptionOf(db, place.scheduleId),
    tagMessage: place.isTag ? await messageOf(place) : undefined,
  }
}

async function openMergeRequests(db: Db, { projectId, name }: Place): Promise<string | undefined> {
  const { rows } = await sql<{ reference: string }>`
    select n.full_path || '!' || m.iid as reference
    from merge_requests m join projects p on p.id = m.project_id join namespaces n on n.id = p.project_namespace_id
    where m.source_project_id = ${projectId} and m.source_branch = ${name} and m.state = 'opened' and n.deleted_at is null
    order by m.id desc limit 4`.execute(db)
  return rows.length === 0 ? undefined : rows.map(({ reference }) => reference).join(',')
}

/** Freeze periods of a project that are looked at. */
const MOST_PERIODS = 100

/** Whether a period has begun and not ended: its end comes before its next beginning. */
async function isFrozen(db: Db, projectId: number, now: Date): Promise<boolean> {
  const periods = await freezePeriodsOf(db, projectId).limit(MOST_PERIODS).execute()
  return periods.some(({ freeze_start, freeze_end, cron_timezone }) => {
    const start = nextRun(freeze_start, cron_timezone, now)
    const end = nextRun(freeze_end, cron_timezone, now)
    return end !== undefined && (start === undefined || end < start)
  })
}

async function descriptionOf(db: Db, scheduleId: number | undefined): Promise<string | undefined> {
  if (scheduleId === undefined) return undefined
  const found = await db
    .selectFrom('pipeline_schedules')
    .select('description')
    .where('id', '=', scheduleId)
    .executeTakeFirst()
  return found?.description
}

async function messageOf({ repository, name }: Place): Promise<string | undefined> {
  const tag = repository && (await findTagByName(repository, name))
  if (repository === undefined || tag === undefined) return undefined
  const [read] = await readTags(repository, [tag.id])
  return read?.message.trim()
}
