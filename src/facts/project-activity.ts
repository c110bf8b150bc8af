import { sql } from 'kysely'
import { definitions } from './definitions.ts'
import type { Consumer, FactName } from './fact.ts'

const isFactName = (name: string): name is FactName => Object.hasOwn(definitions, name)

/** Keeps `last_activity_at` of the project in which something happened; other namespaces match no row. */
export const projectActivity: Consumer = {
  facts: Object.keys(definitions)
    .filter(isFactName)
    .filter((name) => definitions[name].activity),
  alongside: (tx, { namespace }) => sql`
    update projects set last_activity_at = ${tx.now}
    where project_namespace_id = ${namespace} and last_activity_at < ${tx.now}`,
}
