import { unique } from '#test/world.ts'
import type { Asking, ProjectPlace, RouteExpectations } from '#test/access/route-expectation.ts'
import { readingCode, sharedMergeRequest } from './merge-requests.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'

const all = async (place: ProjectPlace) => `${await sharedMergeRequest(place)}/draft_notes`

/** Callers see none of the draft notes of others, as if there were none. */
const UNKNOWN = 2 ** 31 + 1
const ofNobody =
  (end = '') =>
  async (place: ProjectPlace): Promise<Asking> => ({ path: `${await all(place)}/${UNKNOWN}${end}` })

const hidden = (end?: string) => ({ ...readingCode(ofNobody(end)), status: 404 })
const closed = { whileArchived: false }

export const draftNoteExpectations: RouteExpectations = {
  [`GET ${path}`]: readingCode(async (p) => ({ path: await all(p) })),
  [`GET ${path}/:draft_note_id`]: hidden(),
  [`POST ${path}`]: {
    ...readingCode(async (p) => ({ path: await all(p), json: { note: unique('Why') } })),
    status: 201,
    ...closed,
  },
  [`PUT ${path}/:draft_note_id`]: {
    ...readingCode(async (p) => ({ ...(await ofNobody()(p)), json: { note: 'Other' } })),
    status: 404,
    ...closed,
  },
  [`DELETE ${path}/:draft_note_id`]: { ...hidden(), ...closed },
  [`PUT ${path}/:draft_note_id/publish`]: { ...hidden('/publish'), ...closed },
  [`POST ${path}/bulk_publish`]: {
    ...readingCode(async (p) => ({ path: `${await all(p)}/bulk_publish` })),
    status: 204,
    ...closed,
  },
}
