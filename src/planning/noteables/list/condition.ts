import type { RawBuilder } from 'kysely'

/** A condition on an item, which the query has as `i`. */
export type Condition = RawBuilder<boolean>
