import { sql } from 'kysely'
import {
  type BuildContext,
  payloadKind,
  type HookPayload,
  type FactSubject,
  type StoredFact,
} from './kind.ts'
import { REDACTED, seconds } from './shapes.ts'

const ofProjects = {
  'project created': 'project_create',
  'project deleted': 'project_destroy',
  'project renamed': 'project_rename',
  'project transferred': 'project_transfer',
  'project changed': 'project_update',
} as const

type ProjectFact = StoredFact<keyof typeof ofProjects>

/** Projects: created, changed, renamed, moved and deleted. Groups above hear of the first and the last. */
export const projectPayloads = payloadKind({
  facts: ['project created', 'project deleted', 'project renamed', 'project transferred', 'project changed'],
  interestedHooks: ({ name }) => ({
    triggers: name === 'project created' || name === 'project deleted' ? ['project_events'] : [],
    system: 'all',
  }),
  build: async (facts, context) => {
    // Whoever renames a project changes other fields along with the path.
    const fact = facts.find(({ name }) => name !== 'project changed') ?? facts[0]
    return fact === undefined ? [] : projectPayload(fact, context)
  },
})

async function projectPayload(fact: ProjectFact, context: BuildContext): Promise<readonly HookPayload[]> {
  const { target, details, seen, at, name } = fact
  if (target === null || seen === null) return []
  const owners = await ownersOf(context, seen, fact.namespace)
  const from = 'from' in details ? details.from : undefined
  const path = 'to' in details ? details.to : 'path' in details ? details.path : pathOf(seen)
  const data = {
    event_name: ofProjects[name],
    created_at: seconds(seen.created_at ?? at),
    updated_at: seconds(seen.updated_at ?? at),
    name: seen.name ?? null,
    path: path.slice(path.lastIndexOf('/') + 1),
    path_with_namespace: path,
    project_id: target.id,
    project_namespace_id: seen.namespace_id ?? null,
    owner_name: owners[0]?.name ?? null,
    owner_email: owners[0]?.email ?? null,
    owners,
    project_visibility: seen.visibility ?? null,
    ...(from !== undefined && { old_path_with_namespace: from }),
  }
  const { owner_name: _, owner_email: __, ...dataWithoutOwner } = data
  return [
    { to: 'system hooks', triggers: [], name: 'System Hook', data },
    ...(name === 'project created' || name === 'project deleted'
      ? [
          {
            to: 'project and group hooks',
            triggers: ['project_events'],
            name: 'Project Hook',
            data: dataWithoutOwner,
          } as const,
        ]
      : []),
  ]
}

const pathOf = ({ path = '' }: FactSubject): string => path

/** The direct owners of a project, or else those of the group or person above. */
async function ownersOf({ db }: BuildContext, { namespace_id }: FactSubject, above: number | null) {
  const { rows } = await sql<{ name: string; email: string }>`
    select u.name, coalesce(u.public_email, ${REDACTED}) as email from members m join users u on u.id = m.user_id
      where m.namespace_id = any(array[${namespace_id ?? null}, ${above}, (
        select parent_id from namespaces where id = ${namespace_id ?? null})]::bigint[]) and m.access_level = 50
          and u.kind = 'human'
    union
    select u.name, coalesce(u.public_email, ${REDACTED}) from namespaces n join namespaces o on o.id = n.parent_id
      join users u on u.id = o.owner_id where n.id = ${namespace_id ?? null}
    limit 20`.execute(db)
  return rows
}

const ofGroups = {
  'group created': 'group_create',
  'group deleted': 'group_destroy',
  'group renamed': 'group_rename',
} as const

/** Groups: created, renamed and deleted. Groups above hear of the first and the last as of subgroups. */
export const groupPayloads = payloadKind({
  facts: ['group created', 'group deleted', 'group renamed'],
  interestedHooks: ({ name }) => ({
    triggers: name === 'group renamed' ? [] : ['subgroup_events'],
    system: 'all',
  }),
  build: async ([fact], context) => (fact === undefined ? [] : groupPayload(fact, context)),
})

async function groupPayload(
  fact: StoredFact<keyof typeof ofGroups>,
  context: BuildContext,
): Promise<readonly HookPayload[]> {
  const { target, details, seen, at } = fact
  if (target === null || seen === null) return []
  const full_path = 'path' in details ? details.path : details.to
  const last = (whole: string) => whole.slice(whole.lastIndexOf('/') + 1)
  const group = {
    created_at: seconds(seen.created_at ?? at),
    updated_at: seconds(seen.updated_at ?? at),
    name: seen.name ?? last(full_path),
    path: last(full_path),
    full_path,
    group_id: target.id,
  }
  const event_name = ofGroups[fact.name]
  const renamed =
    'from' in details ? { old_path: last(details.from), old_full_path: details.from } : undefined
  const system: HookPayload = {
    to: 'system hooks',
    triggers: [],
    name: 'System Hook',
    data: { event_name, ...group, ...renamed },
  }
  const parent = renamed === undefined ? await parentOf(context, full_path) : undefined
  if (parent === undefined) return [system]
  const data = { ...group, event_name: event_name.replace('group_', 'subgroup_'), ...parent }
  return [
    system,
    { to: 'project and group hooks', triggers: ['subgroup_events'], name: 'Subgroup Hook', data },
  ]
}

async function parentOf({ db }: BuildContext, full_path: string) {
  const end = full_path.lastIndexOf('/')
  if (end < 0) return undefined
  return db
    .selectFrom('namespaces')
    .select([
      'id as parent_group_id',
      'name as parent_name',
      'path as parent_path',
      'full_path as parent_full_path',
    ])
    .where('full_path', '=', full_path.slice(0, end))
    .where('kind', '=', 'group')
    .executeTakeFirst()
}
