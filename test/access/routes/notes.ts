import {
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'

/** The notes of an issue of the owner. */
export const notesOf = onceIn(async ({ id, owner }): Promise<string> => {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: 'Noted' })
  return `/projects/${id}/issues/${body.iid}/notes`
})

/** A note of the owner there. */
async function made(place: ProjectPlace): Promise<string> {
  const notes = await notesOf(place)
  const { body } = await place.owner.post(notes, { body: 'Something' })
  return `${notes}/${body.id}`
}

type Request = (place: ProjectPlace) => Promise<{ path: string; json?: unknown }>

export const reading = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'signed-in readers',
  status: 200,
  request,
})

export const writing = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'signed-in readers',
  status: 201,
  whileArchived: false,
  request,
})

/** What takes Maintainer with notes of others, as these are. */
export const changing = (status: number, request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'maintainer',
  status,
  whileArchived: false,
  request,
})

const json = { body: 'Something else' }

export const noteExpectations: RouteExpectations = {
  'GET /projects/:id/issues/:issue_iid/notes': reading(async (p) => ({ path: await notesOf(p) })),
  'GET /projects/:id/issues/:issue_iid/notes/:note_id': reading(async (p) => ({ path: await made(p) })),
  'POST /projects/:id/issues/:issue_iid/notes': writing(async (p) => ({ path: await notesOf(p), json })),
  'PUT /projects/:id/issues/:issue_iid/notes/:note_id': changing(200, async (p) => ({
    path: await made(p),
    json,
  })),
  'DELETE /projects/:id/issues/:issue_iid/notes/:note_id': changing(204, async (p) => ({
    path: await made(p),
  })),
}
