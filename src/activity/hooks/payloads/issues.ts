import type { Viewer } from '#platform/access/viewer.ts'
import { dayOf } from '#platform/http/time.ts'
import { issuesFor, type IssueRow } from '#planning/issues/queries.ts'
import { humanTimeOrNull } from '#planning/time/human-time.ts'
import { changed, type ItemChanges, labelChange, peopleChange } from './item-changes.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { findLabels, findProject, findUser, personOf, shortRepository, utc, utcOrNull } from './shapes.ts'

const issueFacts = [
  'issue created',
  'issue retitled',
  'issue description changed',
  'issue type changed',
  'issue assignees changed',
  'issue labels changed',
  'issue milestone changed',
  'issue due date changed',
  'issue weight changed',
  'issue confidentiality changed',
  'issue lock changed',
  'issue closed',
  'issue reopened',
  'issue time estimated',
  'issue time spent',
] as const

type IssueFact = StoredFact<(typeof issueFacts)[number]>

/** Who makes payloads sees everything; who may receive them, hooks decide. */
export const everything = (now: Date): Viewer => ({
  id: null,
  admin: true,
  external: false,
  today: dayOf(now),
  closed: [],
})

/** Issues: created, changed, closed and reopened. */
export const issuePayloads = payloadKind({
  facts: issueFacts,
  interestedHooks: () => ({ triggers: ['issues_events', 'confidential_issues_events'], system: 'none' }),
  build: async (facts, context) => {
    const [first] = facts
    const row = await findIssueRow(context, first?.target?.id)
    if (first === undefined || row === undefined) return []
    const seen = facts.some(({ seen }) => seen?.confidential === true)
    // Whoever could not read it before or after the change learns nothing of the change.
    const secret =
      row.confidential || seen || facts.some(({ name }) => name === 'issue confidentiality changed')
    return issuePayload(row, facts, context, secret)
  },
})

export async function findIssueRow(
  { db, now }: BuildContext,
  id: number | undefined,
): Promise<IssueRow | undefined> {
  if (id === undefined) return undefined
  return issuesFor(db, everything(now), undefined, false)
    .where('i.id', '=', id)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** @param facts what happened; none for a sample of an issue that was just created */
export async function issuePayload(
  row: IssueRow,
  facts: readonly IssueFact[],
  context: BuildContext,
  confidential = row.confidential,
): Promise<readonly HookPayload[]> {
  const project = await findProject(context, row.project_id)
  if (project === undefined) return []
  const user = await findUser(context, facts[0]?.actorId ?? row.author_id)
  const assignees = row.assignees.map((person) => personOf(context.site, person))
  const attributes = await issueAttributes(row, context)
  const changes = await changesOf(row, facts, context)
  const kind = row.issue_type === 'issue' ? 'issue' : 'work_item'
  return [
    {
      to: 'project and group hooks',
      triggers: [confidential ? 'confidential_issues_events' : 'issues_events'],
      name: confidential ? 'Confidential Issue Hook' : 'Issue Hook',
      data: {
        object_kind: kind,
        event_type: confidential ? 'confidential_issue' : kind,
        user,
        project: project.project,
        object_attributes: {
          ...attributes,
          ...asOf(changes),
          ...stateAfter(facts),
          ...timeChange(facts),
          ...(actionOf(facts) === 'update' && { updated_by_id: facts[0]?.actorId ?? null }),
          action: actionOf(facts),
        },
        labels: attributes.labels,
        changes,
        repository: shortRepository(project),
        ...(assignees.length > 0 && { assignees, assignee: assignees[0] }),
      },
    },
  ]
}

function actionOf(facts: readonly IssueFact[]): string {
  const did = (name: IssueFact['name']) => facts.some((fact) => fact.name === name)
  if (facts.length === 0 || did('issue created')) return 'open'
  if (did('issue closed')) return 'close'
  return did('issue reopened') ? 'reopen' : 'update'
}

/** The fields that this change set, with its values: later changes may have come before the payload is made. */
function asOf(changes: ItemChanges): Record<string, unknown> {
  const reportedFields = [
    'title',
    'milestone_id',
    'due_date',
    'weight',
    'confidential',
    'discussion_locked',
  ] as const
  return Object.fromEntries(
    reportedFields.flatMap((name) => (changes[name] === undefined ? [] : [[name, changes[name].current]])),
  )
}

function stateAfter(facts: readonly IssueFact[]) {
  const action = actionOf(facts)
  if (action === 'close') return { state: 'closed', state_id: 2 }
  return action === 'open' || action === 'reopen' ? { state: 'opened', state_id: 1 } : {}
}

function timeChange(facts: readonly IssueFact[]) {
  const spent = facts.flatMap((fact) => (fact.name === 'issue time spent' ? [fact.details.seconds ?? 0] : []))
  const time_change = spent.reduce((sum, one) => sum + one, 0)
  return { time_change, human_time_change: humanTimeOrNull(time_change) }
}

/** An issue as payloads about it, and about its notes and reactions, show it. */
export async function issueAttributes(row: IssueRow, { db, site }: BuildContext) {
  const labels = await findLabels(
    db,
    row.labels.map(({ id }) => id),
  )
  const assignee_ids = row.assignees.map(({ id }) => id)
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    description: row.description,
    assignee_ids,
    assignee_id: assignee_ids[0] ?? null,
    author_id: row.author_id,
    project_id: row.project_id,
    created_at: utc(row.created_at),
    updated_at: utc(row.updated_at),
    closed_at: utcOrNull(row.closed_at),
    updated_by_id: null,
    last_edited_at: null,
    last_edited_by_id: null,
    relative_position: row.relative_position,
    milestone_id: row.milestone_id,
    state_id: row.state === 'opened' ? 1 : 2,
    state: row.state,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    due_date: row.due_date,
    moved_to_id: row.moved_to_id,
    duplicated_to_id: null,
    time_estimate: row.time_estimate,
    total_time_spent: row.total_time_spent,
    time_change: 0,
    human_total_time_spent: humanTimeOrNull(row.total_time_spent),
    human_time_estimate: humanTimeOrNull(row.time_estimate),
    human_time_change: null,
    weight: row.weight,
    health_status: null,
    type: typeNames[row.issue_type],
    severity: row.severity ?? 'unknown',
    url: `${site}/${row.full_path}/-/issues/${row.iid}`,
    labels,
  }
}

const typeNames: Readonly<Record<IssueRow['issue_type'], string>> = {
  issue: 'Issue',
  incident: 'Incident',
  test_case: 'Test Case',
  requirement: 'Requirement',
  task: 'Task',
  ticket: 'Ticket',
}

async function changesOf(
  row: IssueRow,
  facts: readonly IssueFact[],
  context: BuildContext,
): Promise<ItemChanges> {
  const changes: ItemChanges = {}
  const isNew = facts.some(({ name }) => name === 'issue created')
  if (isNew || facts.length === 0) return {}
  for (const { name, details } of facts) {
    if (name === 'issue retitled') changes['title'] = changed(details.from, details.to)
    if (name === 'issue type changed') changes['type'] = changed(details.from, details.to)
    if (name === 'issue milestone changed') changes['milestone_id'] = changed(details.from, details.to)
    if (name === 'issue due date changed') changes['due_date'] = changed(details.from, details.to)
    if (name === 'issue weight changed') changes['weight'] = changed(details.from, details.to)
    if (name === 'issue confidentiality changed') {
      changes['confidential'] = changed(!details.confidential, details.confidential)
    }
    if (name === 'issue lock changed') changes['discussion_locked'] = changed(!details.locked, details.locked)
    if (name === 'issue description changed') changes['description'] = changed(null, row.description)
    if (name === 'issue time estimated') changes['time_estimate'] = changed(null, details.seconds)
    if (name === 'issue time spent') changes['total_time_spent'] = changed(null, row.total_time_spent)
    if (name === 'issue closed') changes['state_id'] = changed(1, 2)
    if (name === 'issue reopened') changes['state_id'] = changed(2, 1)
  }
  const labels = facts.flatMap((fact) => (fact.name === 'issue labels changed' ? [fact.details] : []))
  if (labels.length > 0) {
    const now = row.labels.map(({ id }) => id)
    changes['labels'] = await labelChange(context.db, now, labels)
  }
  const people = facts.flatMap((fact) => (fact.name === 'issue assignees changed' ? [fact.details] : []))
  if (people.length > 0) {
    const now = row.assignees.map((person) => personOf(context.site, person))
    changes['assignees'] = await peopleChange(context, now, people)
  }
  return changes
}
