import { Type } from 'typebox'
import { ById, integer } from '#platform/http/schema.ts'

/** The parameters in the path of a milestone. */
export const ByMilestone = Type.Object({
  ...ById.properties,
  milestone_id: integer({ description: 'The id of the milestone, not its `iid`.' }),
})
