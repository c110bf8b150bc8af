import { readingCode, sharedMergeRequest } from './merge-requests.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'

const at = (end: string) =>
  readingCode(async (place) => ({ path: `${await sharedMergeRequest(place)}/${end}` }))

export const mergeRequestDiffExpectations: RouteExpectations = {
  [`GET ${path}/commits`]: at('commits'),
  [`GET ${path}/diffs`]: at('diffs'),
  [`GET ${path}/changes`]: at('changes'),
  [`GET ${path}/raw_diffs`]: at('raw_diffs'),
  [`GET ${path}/versions`]: at('versions'),
  [`GET ${path}/versions/:version_id`]: readingCode(async (place) => {
    const versions = `${await sharedMergeRequest(place)}/versions`
    const { body } = await place.owner.get(versions)
    return { path: `${versions}/${body[0].id}` }
  }),
}
