import { Type } from 'typebox'
import { idOrPath, integer, MAX_INT4, oneOf } from '#platform/http/schema.ts'
import { ByIssue } from '../by-issue.ts'
import { linkTypes } from './entity.ts'

export const ByLink = Type.Object({ ...ByIssue.properties, issue_link_id: integer({ minimum: 1 }) })

export const NewLink = Type.Object({
  target_project_id: idOrPath({ description: "The id or path of the other issue's project." }),
  target_issue_iid: integer({
    minimum: 1,
    maximum: MAX_INT4,
    description: 'The number of the other issue in that project.',
  }),
  link_type: Type.Optional(
    oneOf(linkTypes, { description: 'How this issue relates to the other one; `relates_to` by default.' }),
  ),
})
