import { giveSample } from '#test/repositories.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import { changing } from './notes.ts'

/** The path of a commit in a project that has a small repository. */
async function at(place: ProjectPlace): Promise<string> {
  const { row } = await giveSample(place)
  return `/projects/${place.id}/repository/commits/${row.last_commit_sha}`
}

/** A discussion that the owner started, and the note in it. */
async function started(place: ProjectPlace): Promise<{ discussion: string; note: string }> {
  const discussions = `${await at(place)}/discussions`
  const { body } = await place.owner.post(discussions, { body: 'Something' })
  const discussion = `${discussions}/${body.id}`
  return { discussion, note: `${discussion}/notes/${body.notes[0].id}` }
}

const json = { body: 'Something else' }
type Request = (place: ProjectPlace) => Promise<Asking>

const reading = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request,
})

const writing = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 201,
  whileArchived: false,
  request,
})

const path = '/projects/:id/repository/commits/:sha'

export const commitNoteExpectations: RouteExpectations = {
  [`GET ${path}/comments`]: reading(async (p) => ({ path: `${await at(p)}/comments` })),
  [`POST ${path}/comments`]: writing(async (p) => ({
    path: `${await at(p)}/comments`,
    json: { note: 'Something' },
  })),
  [`GET ${path}/discussions`]: reading(async (p) => ({ path: `${await at(p)}/discussions` })),
  [`GET ${path}/discussions/:discussion_id`]: reading(async (p) => ({ path: (await started(p)).discussion })),
  [`POST ${path}/discussions`]: writing(async (p) => ({ path: `${await at(p)}/discussions`, json })),
  [`GET ${path}/discussions/:discussion_id/notes`]: reading(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
  })),
  [`GET ${path}/discussions/:discussion_id/notes/:note_id`]: reading(async (p) => ({
    path: (await started(p)).note,
  })),
  [`POST ${path}/discussions/:discussion_id/notes`]: writing(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
    json,
  })),
  [`PUT ${path}/discussions/:discussion_id/notes/:note_id`]: changing(200, async (p) => ({
    path: (await started(p)).note,
    json,
  })),
  [`DELETE ${path}/discussions/:discussion_id/notes/:note_id`]: changing(204, async (p) => ({
    path: (await started(p)).note,
  })),
}
