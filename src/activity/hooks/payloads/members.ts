import { sql } from 'kysely'
import { append } from '#platform/sequences.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { REDACTED, roleNames, seconds } from './shapes.ts'

const words = {
  'member added': { group: 'user_add_to_group', project: 'user_add_to_team' },
  'member changed': { group: 'user_update_for_group', project: 'user_update_for_team' },
  'member removed': { group: 'user_remove_from_group', project: 'user_remove_from_team' },
} as const

type MemberFact = StoredFact<keyof typeof words>

/** Members: added, changed and removed. System hooks alone learn of members of projects. */
export const memberPayloads = payloadKind({
  facts: ['member added', 'member changed', 'member removed'],
  interestedHooks: () => ({ triggers: ['member_events'], system: 'all' }),
  together: true,
  build: async (facts, context) => {
    const payloads: HookPayload[] = []
    for (const fact of facts) append(payloads, await memberPayload(fact, context))
    return payloads
  },
})

interface MemberContainer {
  readonly kind: string
  readonly id: number
  readonly project_id: number | null
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly visibility: string
}

async function memberPayload(fact: MemberFact, context: BuildContext): Promise<HookPayload[]> {
  const { db } = context
  if (fact.namespace === null) return []
  const user = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'public_email', 'kind'])
    .where('id', '=', fact.details.user_id)
    .executeTakeFirst()
  if (user === undefined || user.kind === 'bot') return []
  const below = fact.name === 'member removed' ? fact.details.below : []
  const { rows } = await sql<MemberContainer>`
    select n.id, n.kind, n.name, n.path, n.full_path, n.visibility, p.id as project_id
    from namespaces n left join projects p on p.project_namespace_id = n.id
    where n.id = any(${[fact.namespace, ...below]}::bigint[])`.execute(db)
  const who = {
    user_username: user.username,
    user_name: user.name,
    user_email: user.public_email ?? REDACTED,
    user_id: user.id,
  }
  return rows.flatMap((container) => payloadsFor(container, fact, who))
}

function payloadsFor(container: MemberContainer, fact: MemberFact, who: object): HookPayload[] {
  const at = seconds(fact.at)
  const membership = fact.name === 'member removed' ? undefined : fact.details
  const role = membership === undefined ? null : (roleNames[membership.access_level] ?? null)
  const times = { created_at: at, updated_at: at }
  const expires_at = membership?.expires_at == null ? null : `${membership.expires_at}T00:00:00Z`
  if (container.kind !== 'group') {
    const data = {
      ...times,
      event_name: words[fact.name].project,
      access_level: role,
      project_id: container.project_id,
      project_name: container.name,
      project_path: container.path,
      project_path_with_namespace: container.full_path,
      project_visibility: container.visibility,
      ...who,
    }
    return [{ to: 'system hooks', triggers: [], name: 'System Hook', data }]
  }
  const group = {
    group_name: container.name,
    group_path: container.path,
    group_id: container.id,
    ...who,
    group_access: role,
  }
  const event_name = words[fact.name].group
  return [
    {
      to: 'project and group hooks',
      triggers: ['member_events'],
      name: 'Member Hook',
      data: { ...times, ...group, group_plan: null, expires_at, event_name },
    },
    { to: 'system hooks', triggers: [], name: 'System Hook', data: { ...times, event_name, ...group } },
  ]
}
