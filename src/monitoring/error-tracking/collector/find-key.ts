import { sql } from 'kysely'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Db } from '#platform/db/pool.ts'

/** What a client key is for. */
export interface KnownKey {
  readonly projectId: number
  /** Whether events are accepted. */
  readonly active: boolean
  readonly scrubs: boolean
}

interface KeyValues {
  readonly keys: readonly string[]
}

const byKeys = statement({
  name: 'error tracking keys',
  build: (db: Db, param: Params<KeyValues>) =>
    db
      .selectFrom('error_tracking_keys as k')
      .innerJoin('projects as p', 'p.id', 'k.project_id')
      .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
      .leftJoin('error_tracking_settings as s', 's.project_id', 'k.project_id')
      .select(['k.public_key', 'k.project_id', 's.active', 's.integrated', 's.scrubs'])
      .where(sql<boolean>`k.public_key = any(${param('keys')}::text[])`)
      .where('n.deleted_at', 'is', null),
})

type KeysByText = ReadonlyMap<string, KnownKey>

/**
 * Finds client keys. Requests that come while a statement is under way share the next one, so that it always began
 * after they came: a deleted key is refused at once.
 */
export class KeyFinder {
  readonly #db: Db
  #next: { readonly keys: Set<string>; readonly found: Promise<KeysByText> } | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(db: Db) {
    this.#db = db
  }

  async find(key: string): Promise<KnownKey | undefined> {
    const next = this.#next ?? this.#prepareNext()
    next.keys.add(key)
    return (await next.found).get(key)
  }

  #prepareNext() {
    const keys = new Set<string>()
    const found = this.#running.then(() => {
      this.#next = undefined
      return this.#ask([...keys])
    })
    this.#running = found.catch(() => {})
    this.#next = { keys, found }
    return this.#next
  }

  async #ask(keys: readonly string[]): Promise<KeysByText> {
    const rows = await byKeys(this.#db, { keys })
    return new Map(
      rows.map(({ public_key, project_id, active, integrated, scrubs }) => [
        public_key,
        { projectId: project_id, active: active === true && integrated === true, scrubs: scrubs !== false },
      ]),
    )
  }
}
