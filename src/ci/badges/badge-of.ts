import { sql } from 'kysely'
import { pipelinesOf } from '#code/pipelines/queries.ts'
import { statusWords } from '#code/pipelines/status-words.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'

const GREY = '#9f9f9f'
const RED = '#e05d44'
const YELLOW = '#dfb317'
const GREEN = '#4c1'
const LIGHT_GREEN = '#a3c51c'

const colors: Readonly<Partial<Record<CiStatus, string>>> = {
  success: GREEN,
  failed: RED,
  running: YELLOW,
  pending: YELLOW,
}

/** What a badge tells, and in which color. */
export interface Told {
  readonly value: string
  readonly color: string
}

const UNKNOWN: Told = { value: 'unknown', color: GREY }

/** The status of the newest pipeline of a branch or tag. */
export async function pipelineBadge(
  db: Db,
  projectId: number,
  { ref, ignoresSkipped }: { readonly ref: string; readonly ignoresSkipped: boolean },
): Promise<Told> {
  const row = await pipelinesOf(db, projectId)
    .where('p.ref', '=', ref)
    .where('p.is_child', '=', false)
    .$if(ignoresSkipped, (q) => q.where('p.status', '<>', 'skipped'))
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return UNKNOWN
  return { value: statusWords(row.status, false).text.toLowerCase(), color: colors[row.status] ?? GREY }
}

/** From which percentages on coverage is good, acceptable, and not low. */
export interface Bounds {
  readonly good: number
  readonly acceptable: number
  readonly medium: number
}

/** The coverage of the newest pipeline of a branch or tag that has passed, or of one of its jobs. */
export async function coverageBadge(
  db: Db,
  projectId: number,
  { ref, job, bounds }: { readonly ref: string; readonly job: string | undefined; readonly bounds: Bounds },
): Promise<Told> {
  const { rows } = await sql<{ coverage: number | null }>`
    select case when ${job ?? null}::text is null then p.coverage else (
        select j.coverage from ci_jobs j where j.pipeline_id = p.id and j.name = ${job ?? ''} and not j.retried limit 1) end as coverage
      from pipelines p where p.project_id = ${projectId} and p.ref = ${ref} and p.status = 'success' and not p.is_child
      order by p.id desc limit 1`.execute(db)
  const coverage = rows[0]?.coverage ?? null
  if (coverage === null) return UNKNOWN
  const { good, acceptable, medium } = bounds
  const color =
    coverage >= good ? GREEN : coverage >= acceptable ? LIGHT_GREEN : coverage >= medium ? YELLOW : RED
  return { value: `${coverage.toFixed(2)}%`, color }
}
