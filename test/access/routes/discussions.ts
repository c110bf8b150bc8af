import type { ProjectPlace, RouteExpectations } from '#test/access/route-expectation.ts'
import { changing, notesOf, reading, writing } from './notes.ts'

const at = async (place: ProjectPlace) => (await notesOf(place)).replace(/notes$/, 'discussions')

/** A discussion that the owner started, and the note in it. */
async function started(place: ProjectPlace): Promise<{ discussion: string; note: string }> {
  const discussions = await at(place)
  const { body } = await place.owner.post(discussions, { body: 'Something' })
  const discussion = `${discussions}/${body.id}`
  return { discussion, note: `${discussion}/notes/${body.notes[0].id}` }
}

const json = { body: 'Something else' }
const path = '/projects/:id/issues/:issue_iid/discussions'

export const discussionExpectations: RouteExpectations = {
  [`GET ${path}`]: reading(async (p) => ({ path: await at(p) })),
  [`GET ${path}/:discussion_id`]: reading(async (p) => ({ path: (await started(p)).discussion })),
  [`POST ${path}`]: writing(async (p) => ({ path: await at(p), json })),
  [`GET ${path}/:discussion_id/notes`]: reading(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
  })),
  [`GET ${path}/:discussion_id/notes/:note_id`]: reading(async (p) => ({ path: (await started(p)).note })),
  [`POST ${path}/:discussion_id/notes`]: writing(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
    json,
  })),
  [`PUT ${path}/:discussion_id/notes/:note_id`]: changing(200, async (p) => ({
    path: (await started(p)).note,
    json,
  })),
  [`DELETE ${path}/:discussion_id/notes/:note_id`]: changing(204, async (p) => ({
    path: (await started(p)).note,
  })),
}
