import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, levelOf, readableBy } from '#platform/access/visible.ts'
import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { NamespaceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Reference } from './kinds.ts'

/** A user who is mentioned by name. */
export interface MentionedUser {
  readonly id: number
  readonly username: string
  /** Whether they may read the content of the container; otherwise they are not notified. */
  readonly mayRead: boolean
}

export interface Mentions {
  /** Each once. */
  readonly users: readonly MentionedUser[]
  /** Groups whose direct members are mentioned, however many there are. */
  readonly groups: readonly { readonly id: number; readonly full_path: string }[]
}

/** The most different names to look up in one text. A text with more of them addresses nobody in particular. */
const MAX_MENTIONS = 100

interface Row {
  readonly id: number
  readonly kind: NamespaceKind
  readonly full_path: string
  readonly user_id: number | null
  readonly username: string | null
  readonly may_read: boolean | null
}

/**
 * Resolves the mentions in a text, in one statement. Groups count when the writer may see them; `@all` mentions nobody.
 *
 * @param writer the user whose rights decide which groups are visible.
 * @param container the id in `namespaces` of the project or group that contains the text.
 * @param options `onlyHere`: only people with a role there may be notified, and groups above it, whatever the writer may see.
 */
export async function resolveMentions(
  db: Db | Tx['db'],
  writer: Viewer,
  container: number,
  references: readonly Reference[],
  { onlyHere = false }: { readonly onlyHere?: boolean | undefined } = {},
): Promise<Mentions> {
  const paths = new Set(references.flatMap((one) => (one.kind === 'mention' ? [one.path.toLowerCase()] : [])))
  paths.delete('all')
  if (paths.size === 0) return { users: [], groups: [] }
  const level = levelOf('c', sql<number>`u.id`, writer.today)
  const readable = readableBy('c', 'u', writer.today)
  const mayRead = onlyHere ? sql<boolean>`(${readable} and ${level} >= ${levels.guest})` : readable
  const mayName = onlyHere ? sql<boolean>`n.id = any(c.traversal_ids)` : groupVisibleTo('n', writer)
  const { rows } = await sql<Row>`
    select n.id, n.kind, n.full_path, u.id as user_id, u.username, ${mayRead} as may_read
    from namespaces n
    join namespaces c on c.id = ${container}
    left join users u on u.id = n.owner_id
    where lower(n.full_path) = any(${[...paths].slice(0, MAX_MENTIONS)}::text[]) and n.deleted_at is null
      and (n.kind = 'user' or (n.kind = 'group' and ${mayName}))
    order by n.id, u.id`.execute(db)
  const users = new Map<number, MentionedUser>()
  const groups = new Map<number, { id: number; full_path: string }>()
  for (const { id, kind, full_path, user_id, username, may_read } of rows) {
    if (kind === 'group') groups.set(id, { id, full_path })
    if (user_id === null || username === null) continue
    users.set(user_id, { id: user_id, username, mayRead: may_read ?? false })
  }
  return { users: [...users.values()], groups: [...groups.values()] }
}
