import { sql } from 'kysely'
import { Type } from 'typebox'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask } from '#platform/jobs/task.ts'
import type { Group } from './group.ts'

/** How many errors of a project mails tell of one by one within an hour. Anybody may report errors: the DSN is public. */
const MOST_MAILS = 5
const HOUR = 3_600_000

/** An error that is new, or came back although it was resolved. */
export interface News {
  readonly group: Group
  /** Undefined for a new error; otherwise the release in which it came back. */
  readonly backIn?: string | null
}

/** Records what people hear of. Past some errors of a project, one mail tells later how many more there were. */
export async function tellNews(tx: Tx, news: readonly News[]): Promise<void> {
  const left = await countNews(tx, news)
  for (const { group, backIn } of news) {
    const [{ projectId, title, culprit, event }] = group.events
    const mailsLeft = left.get(projectId) ?? 0
    left.set(projectId, mailsLeft - 1)
    const about = { namespace: group.namespaceId, target: { type: 'Error', id: group.id } }
    const told = { title, culprit, project_id: projectId, mails: mailsLeft > 0 }
    if (backIn === undefined)
      record(tx, { ...about, name: 'error found', details: { ...told, level: event.level } })
    else record(tx, { ...about, name: 'error reopened', details: { ...told, release: backIn } })
  }
}

/**
 * Counts the news of each project within its hour, which begins with the first. Only the job that tells of the rest ends an
 * hour that has some.
 * @returns how many mails each project may still have.
 */
async function countNews(tx: Tx, news: readonly News[]): Promise<Map<number, number>> {
  if (news.length === 0 || !tx.sendsMail) return new Map()
  const byProject = Map.groupBy(news, ({ group }) => group.events[0].projectId)
  const counts = [...byProject].map(([id, some]) => ({ project_id: id, errors_count: some.length }))
  const { rows } = await sql<{ project_id: number; since: string; errors_count: number }>`
    insert into error_news as n (project_id, since, errors_count)
    select v.project_id, ${tx.now}::timestamptz, v.errors_count
    from ${recordset('error_news', counts)} as v
    order by v.project_id
    on conflict (project_id) do update set
      since = case when ${isOver(tx)} then excluded.since else n.since end,
      errors_count = case when ${isOver(tx)} then 0 else n.errors_count end + excluded.errors_count
    returning project_id, since, errors_count`.execute(tx.db)
  const left = new Map<number, number>()
  for (const { project_id, since, errors_count } of rows) {
    const before = errors_count - (byProject.get(project_id)?.length ?? 0)
    left.set(project_id, MOST_MAILS - before)
    if (before > MOST_MAILS || errors_count <= MOST_MAILS) continue
    const runAt = new Date(new Date(since).getTime() + HOUR).toISOString()
    await enqueue(tx, tellRest, { project_id }, { runAt })
  }
  return left
}

const isOver = ({ now }: Tx) =>
  sql<boolean>`(n.errors_count <= ${sql.lit(MOST_MAILS)} and n.since <= ${now}::timestamptz - make_interval(secs => ${sql.lit(HOUR / 1000)}))`

/** Tells how much more news there was in the hour that is over. */
export const tellRest = defineTask(
  'error-tracking/tell-rest',
  'short',
  Type.Object({ project_id: Type.Integer() }),
  ({ project_id }, job) =>
    job.transact(async (tx) => {
      const { rows } = await sql<{ namespace_id: number; errors_count: number }>`
        delete from error_news e using projects p join namespaces n on n.id = p.project_namespace_id
        where e.project_id = ${project_id} and p.id = e.project_id and n.deleted_at is null
        returning n.id as namespace_id, e.errors_count`.execute(tx.db)
      const [row] = rows
      if (row === undefined || row.errors_count <= MOST_MAILS) return
      record(tx, {
        name: 'more errors found',
        namespace: row.namespace_id,
        target: { type: 'Project', id: project_id },
        details: { project_id, count: row.errors_count - MOST_MAILS },
      })
    }),
)
