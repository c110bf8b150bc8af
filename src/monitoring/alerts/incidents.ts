import { sql } from 'kysely'
import { Type } from 'typebox'
import { readExisting } from '#code/git/objects.ts'
import { findFile } from '#code/files/find-file.ts'
import { settingsOf } from '#monitoring/alert-integrations/settings-of.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Author, Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { NotFound } from '#platform/refusals.ts'
import { issueInsertion } from '#planning/issues/open-issue.ts'
import { issueSeverities } from '#planning/issues/severity.ts'
import { findIssueById } from '#planning/issues/queries.ts'
import { updateIssue } from '#planning/issues/update-issue.ts'
import { openItem } from '#planning/noteables/items/open-item.ts'
import { alertBot } from './alert-bot.ts'
import { describeIncident } from './describe-incident.ts'
import { aboutAlert } from './facts.ts'
import { CLOSE_INCIDENT, CREATE_INCIDENT } from './incident-tasks.ts'
import { lockAlert } from './queries.ts'

const payload = Type.Object({ alert_id: Type.Integer() })

interface Place {
  readonly project_id: number
  readonly namespace_id: number
  readonly traversal_ids: readonly number[]
  readonly full_path: string
  readonly iid: number
  readonly issue_id: number | null
  readonly status: string
}

const placeOf = (job: JobContext, id: number): Promise<Place | undefined> =>
  job.db
    .selectFrom('alerts as a')
    .innerJoin('projects as p', 'p.id', 'a.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['a.project_id', 'n.id as namespace_id', 'n.traversal_ids', 'n.full_path'])
    .select(['a.iid', 'a.issue_id', 'a.status'])
    .where('a.id', '=', id)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()

/** Opens the incident of an alert, unless it has one. That of an alert which is over already is closed at once, where settings say so. */
export const createIncident = defineTask(CREATE_INCIDENT, 'short', payload, async ({ alert_id }, job) => {
  const place = await placeOf(job, alert_id)
  if (place === undefined || place.issue_id !== null) return
  const { project_id, namespace_id, traversal_ids, full_path, iid } = place
  const settings = await settingsOf(job.db, project_id)
  const template = await readTemplate(job, project_id, settings.incident_template)
  const bot = await alertBot(job)
  await job.transact(async (tx) => {
    const alert = await lockAlert(tx, project_id, iid)
    if (alert.issue_iid !== null) return
    const container = { id: project_id, namespace_id, traversal_ids, full_path }
    // Whoever sends alerts says what is in them, and shall not write to other projects with the rights of the bot.
    const writer = { viewer: viewerOf(bot, tx.now), site: job.site(), onlyHere: true } as const
    const issue = await openItem(
      tx,
      issueInsertion,
      { caller: writer, container },
      {
        title: alert.title,
        description: describeIncident(alert, template),
        issue_type: 'incident',
        severity: issueSeverities.find((severity) => severity === alert.severity) ?? null,
      },
    )
    await tx.db.updateTable('alerts').set({ issue_id: issue.id }).where('id', '=', alert_id).execute()
    record(tx, {
      ...aboutAlert({ id: alert_id, namespace_id }),
      name: 'alert incident created',
      details: { iid, issue_id: issue.id, issue_iid: issue.iid },
    })
    if (alert.status === 'resolved' && settings.auto_close_incident) await close(tx, issue.id, bot)
  }, bot)
})

/** Closes the incident of an alert that is over. */
export const closeIncident = defineTask(CLOSE_INCIDENT, 'short', payload, async ({ alert_id }, job) => {
  const place = await placeOf(job, alert_id)
  if (place === undefined || place.issue_id === null || place.status !== 'resolved') return
  const { issue_id } = place
  const bot = await alertBot(job)
  await job.transact((tx) => close(tx, issue_id, bot), bot)
})

/** The bot sees what administrators see. */
const viewerOf = ({ id }: Author, now: string): Viewer => ({
  id,
  admin: true,
  external: false,
  today: dayOf(now),
  closed: [],
})

async function close(tx: Tx, issueId: number, bot: Author): Promise<void> {
  for (const table of ['noteables', 'issues']) {
    await sql`select 1 from ${sql.table(table)} where ${isAnyOf('id', [issueId])} for no key update`.execute(
      tx.db,
    )
  }
  const issue = await findIssueById(tx.db, viewerOf(bot, tx.now), issueId).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
  if (issue !== undefined && issue.state === 'opened') await updateIssue(tx, issue, { state_event: 'close' })
}

/** The longest template, in bytes. */
const LONGEST_TEMPLATE = 100_000

/** The text of a template in the repository, on its default branch; null where it is not there. */
async function readTemplate(job: JobContext, projectId: number, name: string | null): Promise<string | null> {
  if (name === null || /[/\\]/.test(name)) return null
  try {
    const repository = await job.repositories.ofProject(projectId)
    const { repository: stored, blob } = await findFile(
      repository,
      undefined,
      `.gitlab/issue_templates/${name}.md`,
    )
    if (blob.size > LONGEST_TEMPLATE) return null
    const text = await readExisting(stored, blob.id, 'blob')
    return text.toString('utf8').replaceAll('\0', '')
  } catch (error) {
    // The incident is more important than its template.
    job.log.warn({ err: error, project: projectId }, 'the template of an incident was not read')
    return null
  }
}
