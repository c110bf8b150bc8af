import { sql } from 'kysely'
import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { announce, watch } from '#platform/db/watched.ts'
import { withinRanges } from '#platform/http/addresses.ts'

const CHANNEL = 'forgelet_address_rules'

/** Which groups accept requests from some addresses only, as this process knows them. */
export interface AddressRules {
  /**
   * The ids of the groups that refuse an address; everything below them refuses it, too. Without such groups the
   * answer is one shared empty list, at no cost.
   */
  readonly closedTo: (ip: string) => readonly number[]
  /** Reads the rules again. A request that changed a rule calls this after its commit, to see its own change. */
  readonly reload: () => Promise<unknown>
}

export interface AddressRulesOptions {
  readonly db: Db
  readonly listener: Listener
  /** Called when reloading failed. */
  readonly onError?: (error: unknown) => void
}

interface Rule {
  readonly id: number
  /** The ranges of the group, separated by commas. */
  readonly ranges: string
}

const NONE: readonly number[] = []
/** For how many addresses the answer is remembered. */
const REMEMBERED = 10_000

/** Reads the rules and keeps them current, also when other processes change them. */
export async function openAddressRules({ db, ...options }: AddressRulesOptions): Promise<AddressRules> {
  const rules = await watch({ ...options, channel: CHANNEL, read: () => readRules(db) })
  let known = compile(rules.current())
  rules.onChange((changed) => (known = compile(changed)))
  return { closedTo: (ip) => known(ip), reload: rules.reload }
}

/** When the transaction commits, tells every process that the ranges of a group changed. */
export const announceAddressRules = (tx: Tx): Promise<void> => announce(tx, CHANNEL)

/** The ids of the groups that refuse an address, read now: for what is no request. */
export async function groupsClosedTo(db: Db, ip: string | null): Promise<readonly number[]> {
  return ip === null ? NONE : compile(await readRules(db))(ip)
}

function readRules(db: Db): Promise<Rule[]> {
  return db
    .selectFrom('namespaces as n')
    .select(['n.id', sql<string>`n.settings ->> 'ip_restriction_ranges'`.as('ranges')])
    .where(sql<boolean>`n.settings ->> 'ip_restriction_ranges' is not null`)
    .orderBy('n.id')
    .execute()
}

function compile(rules: readonly Rule[]): (ip: string) => readonly number[] {
  if (rules.length === 0) return () => NONE
  const groups = rules.map(({ id, ranges }) => ({ id, isOpenTo: withinRanges(ranges.split(',')) }))
  const answers = new Map<string, readonly number[]>()
  return (ip) => {
    const remembered = answers.get(ip)
    if (remembered !== undefined) return remembered
    const closed = groups.filter(({ isOpenTo }) => !isOpenTo(ip)).map(({ id }) => id)
    if (answers.size >= REMEMBERED) answers.clear()
    answers.set(ip, closed)
    return closed
  }
}
