import type { IssueRow } from '../queries.ts'

/** The estimated and spent time, in seconds. */
export type Times = Pick<IssueRow, 'time_estimate' | 'total_time_spent'>

/** The fields of a locked issue that changes of its times need. */
export type Timed = Times & Pick<IssueRow, 'id' | 'namespace_id'>
