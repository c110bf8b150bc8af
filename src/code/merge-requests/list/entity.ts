import { type Static, Type } from 'typebox'
import { entity } from '#platform/http/schema.ts'
import { MergeRequest } from '../entity.ts'

const { id, iid, project_id, title, description, state, created_at, updated_at, web_url, ...details } =
  MergeRequest.properties
const simple = { id, iid, project_id, title, description, state, created_at, updated_at, web_url }

type Simple = Pick<Static<typeof MergeRequest>, keyof typeof simple>

/** A merge request in a list; with `view=simple`, only the fields that are always there. */
export const ListedMergeRequest = Type.Unsafe<Simple & Partial<Static<typeof MergeRequest>>>(
  entity('ListedMergeRequest', {
    ...simple,
    ...Object.fromEntries(Object.entries(details).map(([name, schema]) => [name, Type.Optional(schema)])),
  }),
)

/** The fields of `view=simple`. */
export function simplified(mergeRequest: Static<typeof MergeRequest>): Simple {
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    project_id: mergeRequest.project_id,
    title: mergeRequest.title,
    description: mergeRequest.description,
    state: mergeRequest.state,
    created_at: mergeRequest.created_at,
    updated_at: mergeRequest.updated_at,
    web_url: mergeRequest.web_url,
  }
}
