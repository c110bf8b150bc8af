import { sql } from 'kysely'
import { append } from '#platform/sequences.ts'
import { type BuildContext, eventKind, type HookEvent, type StoredEvent } from './kind.ts'
import { REDACTED, roleNames, seconds } from './shapes.ts'

const words = {
  'member added': { group: 'user_add_to_group', project: 'user_add_to_team' },
  'member changed': { group: 'user_update_for_group', project: 'user_update_for_team' },
  'member removed': { group: 'user_remove_from_group', project: 'user_remove_from_team' },
} as const

type MemberFact = StoredEvent<keyof typeof words>

/** Members: added, changed and removed. Those of projects are told to hooks of the instance alone. */
export const memberEvents = eventKind({
  facts: ['member added', 'member changed', 'member removed'],
  concern: () => ({ triggers: ['member_events'], system: 'all' }),
  together: true,
  build: async (facts, context) => {
    const events: HookEvent[] = []
    for (const fact of facts) append(events, await memberEvent(fact, context))
    return events
  },
})

interface Home {
  readonly kind: string
  readonly id: number
  readonly project_id: number | null
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

async function memberEvent(fact: MemberFact, context: BuildContext): Promise<HookEvent[]> {
  const { db } = context
  if (fact.namespace === null) return []
  const user = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'public_email', 'kind'])
    .where('id', '=', fact.details.user_id)
    .executeTakeFirst()
  if (user === undefined || user.kind === 'bot') return []
  const below = fact.name === 'member removed' ? fact.details.below : []
  const { rows } = await sql<Home>`
    select n.id, n.kind, n.name, n.path, n.full_path, n.visibility, p.id as project_id
    from namespaces n left join projects p on p.project_namespace_id = n.id
    where n.id = any(${[fact.namespace, ...below]}::bigint[])`.execute(db)
  const who = {
    user_username: user.username,
    user_name: user.name,
    user_email: user.public_email ?? REDACTED,
    user_id: user.id,
  }
  return rows.flatMap((home) => eventsAt(home, fact, who))
}

function eventsAt(home: Home, fact: MemberFact, who: object): HookEvent[] {
  const at = seconds(fact.at)
  const membership = fact.name === 'member removed' ? undefined : fact.details
  const role = membership === undefined ? null : (roleNames[membership.access_level] ?? null)
  const times = { created_at: at, updated_at: at }
  const expires_at = membership?.expires_at == null ? null : `${membership.expires_at}T00:00:00Z`
  if (home.kind !== 'group') {
    const data = {
      ...times,
      event_name: words[fact.name].project,
      access_level: role,
      project_id: home.project_id,
      project_name: home.name,
      project_path: home.path,
      project_path_with_namespace: home.full_path,
      project_visibility: home.visibility,
      ...who,
    }
    return [{ to: 'system', triggers: [], name: 'System Hook', data }]
  }
  const group = {
    group_name: home.name,
    group_path: home.path,
    group_id: home.id,
    ...who,
    group_access: role,
  }
  const event_name = words[fact.name].group
  return [
    {
      to: 'containers',
      triggers: ['member_events'],
      name: 'Member Hook',
      data: { ...times, ...group, group_plan: null, expires_at, event_name },
    },
    { to: 'system', triggers: [], name: 'System Hook', data: { ...times, event_name, ...group } },
  ]
}
