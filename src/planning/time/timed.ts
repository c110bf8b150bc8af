import type { ItemRow } from '#planning/noteables/items/kind.ts'

/** The estimated and spent time, in seconds. */
export type Times = Pick<ItemRow, 'time_estimate' | 'total_time_spent'>
