import type { Static, TObject } from 'typebox'
import type { sharedFilters, sharedNegatable } from './filter-schemas.ts'

/** The filters of all kinds that `not` negates. */
export type SharedNegatable = Static<TObject<typeof sharedNegatable>>

/** The filters of all kinds. */
export type SharedFilter = SharedNegatable &
  Partial<Static<TObject<typeof sharedFilters>>> & {
    readonly not?: SharedNegatable
    readonly state?: string
    readonly scope?: string
    readonly non_archived?: boolean
  }
