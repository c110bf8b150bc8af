import { Type } from 'typebox'
import { ById, integer, MAX_INT4 } from '#platform/http/schema.ts'

/** An iid is an `integer` in the database; a larger number would be an error there. */
export const issueIid = integer({
  minimum: 1,
  maximum: MAX_INT4,
  description: 'The number of the issue in its project.',
})

/** The parameters in the path of an issue. */
export const ByIssue = Type.Object({ ...ById.properties, issue_iid: issueIid })
