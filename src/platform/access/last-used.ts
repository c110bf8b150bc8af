import { sql } from 'kysely'
import { transact, type TransactionSource, type Tx } from '#platform/db/transaction.ts'
import { iso } from '#platform/http/time.ts'
import { onBehalfOfNobody } from '#platform/shares/caller.ts'
import type { Credential } from './identity.ts'

/** The precision of `last_used_at` in milliseconds, and so the shortest interval between two writes. */
const PRECISION = 60_000
const FLUSH_EVERY = 1_000

/** The table that holds the last use of each kind of credential. */
const tables = ['access_tokens', 'oauth_access_tokens', 'sessions', 'deploy_tokens', 'ssh_keys'] as const

type Table = (typeof tables)[number]

/** What was used. Deploy tokens and SSH keys are no credentials of the API; the former, and deploy keys, belong to no user. */
type Used = Pick<Credential, 'id' | 'last_used_at'> & {
  /** Nobody asks when the token of a job, which lasts no longer than the job, or one for feeds was last used. */
  readonly kind: Credential['kind'] | 'deploy token' | 'SSH key'
}

function tableOf(kind: Exclude<Used['kind'], 'job' | 'feed'>): Table {
  if (kind === 'oauth') return 'oauth_access_tokens'
  if (kind === 'deploy token') return 'deploy_tokens'
  if (kind === 'SSH key') return 'ssh_keys'
  return kind === 'session' ? 'sessions' : 'access_tokens'
}

/**
 * Keeps `last_used_at` of tokens, sessions and SSH keys, and `last_activity_on` of their users, without a write in any request.
 * It gathers uses and writes them together, each token at most once a minute. A killed process loses the uses of its
 * last second.
 */
export class LastUsed {
  readonly #source: TransactionSource
  readonly #used: Record<Table, Map<number, string>> = {
    access_tokens: new Map(),
    oauth_access_tokens: new Map(),
    sessions: new Map(),
    deploy_tokens: new Map(),
    ssh_keys: new Map(),
  }
  readonly #onFailure: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(source: TransactionSource, onFailure: (error: unknown) => void) {
    this.#source = source
    this.#onFailure = onFailure
  }

  note({ id, kind, last_used_at }: Used): void {
    if (kind === 'job' || kind === 'feed') return
    const now = this.#source.clock.now()
    if (last_used_at !== null && now.getTime() - Date.parse(iso(last_used_at)) < PRECISION) return
    this.#used[tableOf(kind)].set(id, now.toISOString())
    this.#timer ??= onBehalfOfNobody(() => setTimeout(() => void this.flush(), FLUSH_EVERY).unref())
  }

  /** Writes the gathered uses. Call it at the end of a process, before the database closes. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onFailure)
    return this.#writing
  }

  async #write(): Promise<void> {
    for (const table of tables) {
      const used = [...this.#used[table]]
      this.#used[table].clear()
      if (used.length === 0) continue
      await transact(this.#source, { author: null, ip: null }, (tx) => writeUses(tx, table, used))
    }
  }
}

/** Locks accounts before their tokens, as all code does: a deletion of the account may be under way. */
async function writeUses(tx: Tx, table: Table, used: readonly (readonly [number, string])[]): Promise<void> {
  const ids = used.map(([id]) => id)
  const times = used.map(([, at]) => at)
  const ofUsers = table !== 'deploy_tokens'
  if (ofUsers) {
    await sql`
      select 1 from users where id in (select user_id from ${sql.table(table)} where id = any(${ids}::bigint[]))
      order by id for no key update`.execute(tx.db)
  }
  await sql`select 1 from ${sql.table(table)} where id = any(${ids}::bigint[]) order by id for no key update`.execute(
    tx.db,
  )
  await sql`
    with used as (
      update ${sql.table(table)} t set last_used_at = u.at
      from unnest(${ids}::bigint[], ${times}::timestamptz[]) as u (id, at)
      where t.id = u.id and (t.last_used_at is null or t.last_used_at < u.at)
      returning ${ofUsers ? sql`t.user_id` : sql`null::bigint as user_id`}, u.at
    )
    update users u set last_activity_on = active.day
    from (select user_id, max(at)::date as day from used group by user_id) as active
    where u.id = active.user_id and (u.last_activity_on is null or u.last_activity_on < active.day)`.execute(
    tx.db,
  )
}
