import { payloadKind, type HookPayload, type FactSubject } from './kind.ts'
import { seconds } from './shapes.ts'

const ofUsers = {
  'user created': 'user_create',
  'user deleted': 'user_destroy',
  'user renamed': 'user_rename',
  'sign-in refused': 'user_failed_login',
} as const

const toSystem = (data: Readonly<Record<string, unknown>>): HookPayload[] => [
  { to: 'system hooks', triggers: [], name: 'System Hook', data },
]

const times = ({ created_at, updated_at }: FactSubject, at: string) => ({
  created_at: seconds(created_at ?? at),
  updated_at: seconds(updated_at ?? at),
})

/** Accounts: created, renamed and deleted, and blocked ones that somebody tries to use. Hooks of the instance hear of them. */
export const userPayloads = payloadKind({
  facts: ['user created', 'user deleted', 'user renamed', 'sign-in refused'],
  interestedHooks: () => ({ triggers: [], system: 'all' }),
  build: async ([fact]) => {
    if (fact === undefined || fact.target === null || fact.seen === null) return []
    const { seen, at, target, details } = fact
    if (fact.name === 'sign-in refused' && seen.state !== 'blocked') return []
    return toSystem({
      event_name: ofUsers[fact.name],
      ...times(seen, at),
      name: seen.name ?? null,
      email: seen.email ?? null,
      user_id: target.id,
      username: 'to' in details ? details.to : (seen.username ?? null),
      ...('from' in details && { old_username: details.from }),
      ...(fact.name === 'sign-in refused' && { state: seen.state }),
    })
  },
})

const ofKeys = { 'SSH key added': 'key_create', 'SSH key deleted': 'key_destroy' } as const

/** SSH keys: added and deleted. */
export const keyPayloads = payloadKind({
  facts: ['SSH key added', 'SSH key deleted'],
  interestedHooks: () => ({ triggers: [], system: 'all' }),
  build: async ([fact], { db }) => {
    const target = fact?.target ?? null
    if (fact === undefined || target === null) return []
    const user = await db
      .selectFrom('users')
      .select('username')
      .where('id', '=', fact.details.user_id)
      .executeTakeFirst()
    const key = await db
      .selectFrom('ssh_keys')
      .select(['key', 'created_at'])
      .where('id', '=', target.id)
      .executeTakeFirst()
    return toSystem({
      event_name: ofKeys[fact.name],
      created_at: seconds(key?.created_at ?? fact.at),
      updated_at: seconds(fact.at),
      username: user?.username ?? null,
      key: key?.key ?? ('key' in fact.details ? fact.details.key : null) ?? null,
      id: target.id,
    })
  },
})
