import { snippetRow } from '#test/snippets.ts'
import type { World } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import { changing, reading, writing } from './notes.ts'

type Request = (place: ProjectPlace) => Promise<Asking>

const some = { title: 'Some', visibility: 'public', file_name: 'a.txt', content: 'Text' }

const readable = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'readers',
  status: 200,
  request,
})

/** One with a file, by the owner. */
async function made({ id, owner }: ProjectPlace): Promise<string> {
  const { body } = await owner.post(`/projects/${id}/snippets`, some)
  return `/projects/${id}/snippets/${body.id}`
}

const at =
  (end = '', json?: unknown): Request =>
  async (place) => ({ path: (await snippetRow(place)) + end, ...(json !== undefined && { json }) })

const one = '/projects/:id/snippets/:snippet_id'
const ofProjects: RouteExpectations = {
  'GET /projects/:id/snippets': readable(async ({ id }) => ({ path: `/projects/${id}/snippets` })),
  'POST /projects/:id/snippets': {
    in: 'project',
    lowest: 'developer',
    status: 201,
    whileArchived: false,
    request: ({ id }) => ({ path: `/projects/${id}/snippets`, json: some }),
  },
  [`GET ${one}`]: readable(at()),
  // Those of others, as these are; Developers change their own.
  [`PUT ${one}`]: changing(200, at('', { title: 'Another' })),
  [`DELETE ${one}`]: changing(204, at()),
  [`GET ${one}/raw`]: readable(async (place) => ({ path: `${await made(place)}/raw` })),
  [`GET ${one}/files/:ref/:file_path/raw`]: readable(async (place) => ({
    path: `${await made(place)}/files/main/a.txt/raw`,
  })),
  [`GET ${one}/user_agent_detail`]: {
    in: 'project',
    lowest: 'administrator',
    status: 200,
    request: at('/user_agent_detail'),
  },
}

/** One of the administrator. */
async function personal(w: World): Promise<string> {
  const { body } = await w.root.post('/snippets', some)
  return `/snippets/${body.id}`
}

function inInstance(
  lowest: 'anonymous' | 'signed in' | 'administrator',
  status: number,
  request: (w: World) => Promise<Asking>,
): RouteExpectation {
  return { in: 'instance', lowest, status, request }
}

const ofPersons: RouteExpectations = {
  'GET /snippets': inInstance('signed in', 200, async () => ({ path: '/snippets' })),
  'GET /snippets/public': inInstance('anonymous', 200, async () => ({ path: '/snippets/public' })),
  'GET /snippets/all': inInstance('signed in', 200, async () => ({ path: '/snippets/all' })),
  'POST /snippets': inInstance('signed in', 201, async () => ({ path: '/snippets', json: some })),
  'GET /snippets/:id': inInstance('anonymous', 200, async (w) => ({ path: await personal(w) })),
  'PUT /snippets/:id': inInstance('administrator', 200, async (w) => ({
    path: await personal(w),
    json: { title: 'Another' },
  })),
  'DELETE /snippets/:id': inInstance('administrator', 204, async (w) => ({ path: await personal(w) })),
  'GET /snippets/:id/raw': inInstance('anonymous', 200, async (w) => ({ path: `${await personal(w)}/raw` })),
  'GET /snippets/:id/files/:ref/:file_path/raw': inInstance('anonymous', 200, async (w) => ({
    path: `${await personal(w)}/files/main/a.txt/raw`,
  })),
  'GET /snippets/:id/user_agent_detail': inInstance('administrator', 200, async (w) => ({
    path: `${await personal(w)}/user_agent_detail`,
  })),
}

const json = { body: 'Something else' }

async function note(place: ProjectPlace): Promise<string> {
  const notes = `${await snippetRow(place)}/notes`
  const { body } = await place.owner.post(notes, { body: 'Something' })
  return `${notes}/${body.id}`
}

async function started(place: ProjectPlace): Promise<{ discussion: string; note: string }> {
  const discussions = `${await snippetRow(place)}/discussions`
  const { body } = await place.owner.post(discussions, { body: 'Something' })
  const discussion = `${discussions}/${body.id}`
  return { discussion, note: `${discussion}/notes/${body.notes[0].id}` }
}

const more =
  (find: (place: ProjectPlace) => Promise<string>, end = '', body?: unknown): Request =>
  async (place) => ({ path: (await find(place)) + end, ...(body !== undefined && { json: body }) })
const discussion = async (place: ProjectPlace) => (await started(place)).discussion
const noteIn = async (place: ProjectPlace) => (await started(place)).note

const talk: RouteExpectations = {
  [`GET ${one}/notes`]: reading(at('/notes')),
  [`GET ${one}/notes/:note_id`]: reading(more(note)),
  [`POST ${one}/notes`]: writing(at('/notes', json)),
  [`PUT ${one}/notes/:note_id`]: changing(200, more(note, '', json)),
  [`DELETE ${one}/notes/:note_id`]: changing(204, more(note)),
  [`GET ${one}/discussions`]: reading(at('/discussions')),
  [`GET ${one}/discussions/:discussion_id`]: reading(more(discussion)),
  [`POST ${one}/discussions`]: writing(at('/discussions', json)),
  [`GET ${one}/discussions/:discussion_id/notes`]: reading(more(discussion, '/notes')),
  [`POST ${one}/discussions/:discussion_id/notes`]: writing(more(discussion, '/notes', json)),
  [`GET ${one}/discussions/:discussion_id/notes/:note_id`]: reading(more(noteIn)),
  [`PUT ${one}/discussions/:discussion_id/notes/:note_id`]: changing(200, more(noteIn, '', json)),
  [`DELETE ${one}/discussions/:discussion_id/notes/:note_id`]: changing(204, more(noteIn)),
}

function awardsOf(url: string, target: (place: ProjectPlace) => Promise<string>): RouteExpectations {
  const award = { name: 'thumbsup' }
  const givenBy =
    (who: 'owner' | 'guest'): Request =>
    async (place) => {
      const awards = `${await target(place)}/award_emoji`
      return { path: `${awards}/${(await place[who].post(awards, award)).body.id}` }
    }
  return {
    [`GET ${url}`]: readable(more(target, '/award_emoji')),
    [`GET ${url}/:award_id`]: readable(givenBy('owner')),
    [`POST ${url}`]: writing(more(target, '/award_emoji', award)),
    // One's own is everybody's to take back; those of others are for administrators.
    [`DELETE ${url}/:award_id`]: {
      in: 'project',
      lowest: 'administrator',
      status: 204,
      whileArchived: false,
      request: givenBy('guest'),
    },
  }
}

export const snippetExpectations: RouteExpectations = {
  ...ofProjects,
  ...ofPersons,
  ...talk,
  ...awardsOf(`${one}/award_emoji`, (place) => snippetRow(place)),
  ...awardsOf(`${one}/notes/:note_id/award_emoji`, note),
}
