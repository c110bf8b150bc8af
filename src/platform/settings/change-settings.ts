import { sql } from 'kysely'
import { Errors } from 'typebox/schema'
import type { Tx } from '#platform/db/transaction.ts'
import { announce } from '#platform/db/watched.ts'
import { record } from '#platform/facts/record.ts'
import { definitionOf, definitions, type Settings } from './definitions.ts'
import { completed, isDefault, isSettingName, isValue } from './values.ts'

/** The channel that announces changes; see settings.ts. */
export const SETTINGS_CHANNEL = 'forgelet_settings'

/** Values that settings do not accept, with the problems by name. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
  readonly faults: Readonly<Record<string, string[]>>

  constructor(faults: Readonly<Record<string, string[]>>) {
    super(`Invalid settings: ${Object.keys(faults).join(', ')}`)
    this.faults = faults
  }
}

/**
 * Changes only the given settings, and tells every process when the transaction commits.
 *
 * @throws {InvalidSettings} before anything is written; also for a name that does not exist.
 */
export async function changeSettings(tx: Tx, patch: Partial<Settings>): Promise<void> {
  const asked = Object.entries(patch).filter(([, value]) => value !== undefined)
  const faults = Object.fromEntries(
    asked
      .map(([name, value]) => [name, faultsOf(name, value)] as const)
      .filter(([, found]) => found.length > 0),
  )
  if (Object.keys(faults).length > 0) throw new InvalidSettings(faults)
  if (asked.length === 0) return
  const changes = inBothForms(Object.fromEntries(asked))
  const given = Object.entries(changes)
  const json = JSON.stringify(Object.fromEntries(given))
  // Changes run one after the other, so that each knows what it replaced.
  await sql`lock table settings in share row exclusive mode`.execute(tx.db)
  const before = await readThese(
    tx,
    given.map(([name]) => name),
  )
  await sql`
    insert into settings (name, value, updated_at)
    select key, value, ${tx.now}::timestamptz from jsonb_each(${json}::jsonb) order by key
    on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`.execute(tx.db)
  await announce(tx, SETTINGS_CHANNEL)
  const details = { changes, before }
  record(tx, { name: 'settings changed', namespace: null, target: null, details })
}

/** Settings that have an older form change in both. */
function inBothForms(asked: Readonly<Record<string, unknown>>): Partial<Settings> {
  const changes = { ...asked }
  for (const [name, { older }] of definitions()) {
    if (older === undefined) continue
    if (name in asked) changes[older.name] = older.toOlder(asked[name])
    else if (older.name in asked) changes[name] = older.fromOlder(asked[older.name])
  }
  return changes
}

async function readThese(tx: Tx, names: readonly string[]): Promise<Partial<Settings>> {
  const rows = await tx.db.selectFrom('settings').select(['name', 'value']).execute()
  const all = completed(new Map(rows.map(({ name, value }) => [name, value])))
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
}

function faultsOf(name: string, value: unknown): string[] {
  if (!isSettingName(name)) return ['is not a setting']
  const { fixed, schema } = definitionOf(name)
  if (isValue(name, value))
    return fixed === undefined || isDefault(name, value) ? [] : [`cannot be changed: ${fixed}`]
  const [, problems] = Errors(schema, value)
  return [...new Set(problems.map(({ message }) => message))]
}
