import type { IssueRow } from '../queries.ts'

/** What is estimated and spent, in seconds. */
export type Times = Pick<IssueRow, 'time_estimate' | 'total_time_spent'>

/** What changing them needs of an issue, which is locked. */
export type Timed = Times & Pick<IssueRow, 'id' | 'namespace_id'>
