import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { projectOfNamespace, utc } from './shapes.ts'

const actions = {
  'milestone created': 'create',
  'milestone closed': 'close',
  'milestone activated': 'reopen',
  'milestone deleted': 'delete',
} as const

/** Milestones: created, closed, reopened and deleted. */
export const milestonePayloads = payloadKind({
  facts: ['milestone created', 'milestone closed', 'milestone activated', 'milestone deleted'],
  interestedHooks: () => ({ triggers: ['milestone_events'], system: 'none' }),
  build: async ([fact], context) => (fact === undefined ? [] : milestonePayload(fact, context)),
})

async function milestonePayload(
  fact: StoredFact<keyof typeof actions>,
  context: BuildContext,
): Promise<readonly HookPayload[]> {
  const { target, at, namespace } = fact
  const project = await projectOfNamespace(context, namespace)
  const found = fact.name === 'milestone deleted' ? undefined : await findMilestone(context, target?.id)
  const kept = fact.name === 'milestone deleted' ? fact.details : found
  if (kept === undefined || target === null) return []
  const action = actions[fact.name]
  const state = fact.name === 'milestone deleted' ? kept.state : action === 'close' ? 'closed' : 'active'
  return [
    {
      to: 'project and group hooks',
      triggers: ['milestone_events'],
      name: 'Milestone Hook',
      data: {
        object_kind: 'milestone',
        event_type: 'milestone',
        ...(project !== undefined && { project: project.project }),
        object_attributes: {
          id: target.id,
          iid: kept.iid,
          title: kept.title,
          description: found?.description ?? null,
          state,
          created_at: found === undefined ? null : utc(found.created_at),
          updated_at: utc(found?.updated_at ?? at),
          due_date: kept.due_date,
          start_date: kept.start_date,
          group_id: project === undefined ? namespace : null,
          project_id: project?.id ?? null,
        },
        action,
      },
    },
  ]
}

const findMilestone = async ({ db }: BuildContext, id = 0) =>
  db
    .selectFrom('milestones')
    .select(['iid', 'title', 'description', 'state', 'start_date', 'due_date', 'created_at', 'updated_at'])
    .where('id', '=', id)
    .executeTakeFirst()
