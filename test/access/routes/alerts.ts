import { alertRow, picture } from '#test/alerts.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

type Request = (place: ProjectPlace) => Promise<Asking>

const cell = (
  lowest: 'developer' | 'maintainer' | 'administrator',
  status: number,
  request: Request,
  whileArchived = true,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived, request })

const base = ({ id }: ProjectPlace) => `/projects/${id}/alert_management/integrations`

/** An integration of the place. One is enough for all, because without a plan there is no other. */
async function integration(place: ProjectPlace): Promise<string> {
  const { body: known } = await place.owner.get(base(place))
  const id = known[0]?.id ?? (await place.owner.post(base(place), { name: 'Tool' })).body.id
  return `${base(place)}/${id}`
}

/** A place without any. */
async function without(place: ProjectPlace): Promise<string> {
  const { body } = await place.owner.get(base(place))
  for (const { id } of body) await place.owner.delete(`${base(place)}/${id}`)
  return base(place)
}

const more =
  (find: (place: ProjectPlace) => Promise<string>, end = '', json?: unknown): Request =>
  async (place) => ({ path: (await find(place)) + end, ...(json !== undefined && { json }) })

const of = '/projects/:id/alert_management'
const integrations: RouteExpectations = {
  [`GET ${of}/integrations`]: cell('developer', 200, async (p) => ({ path: base(p) })),
  [`POST ${of}/integrations`]: cell('maintainer', 201, more(without, '', { name: 'New' }), false),
  [`GET ${of}/integrations/:integration_id`]: cell('developer', 200, more(integration)),
  [`PUT ${of}/integrations/:integration_id`]: cell(
    'maintainer',
    200,
    more(integration, '', { name: 'x' }),
    false,
  ),
  [`DELETE ${of}/integrations/:integration_id`]: cell('maintainer', 204, more(integration), false),
  [`POST ${of}/integrations/:integration_id/reset_authorization_key`]: cell(
    'maintainer',
    200,
    more(integration, '/reset_authorization_key'),
    false,
  ),
  [`POST ${of}/integrations/:integration_id/test`]: cell('developer', 200, more(integration, '/test'), false),
  [`GET ${of}/settings`]: cell('developer', 200, async ({ id }) => ({
    path: `/projects/${id}/alert_management/settings`,
  })),
  [`PUT ${of}/settings`]: cell(
    'maintainer',
    200,
    async ({ id }) => ({ path: `/projects/${id}/alert_management/settings`, json: { send_email: false } }),
    false,
  ),
}

async function image(place: ProjectPlace): Promise<string> {
  const images = `${await alertRow(place)}/metric_images`
  const { body } = await place.owner.send('POST', images, { form: picture() })
  return `${images}/${body.id}`
}

const one = '/projects/:id/alert_management_alerts/:alert_iid'
const own: RouteExpectations = {
  'GET /projects/:id/alert_management_alerts': cell('developer', 200, async ({ id }) => ({
    path: `/projects/${id}/alert_management_alerts`,
  })),
  [`GET ${one}`]: cell('developer', 200, more(alertRow)),
  [`PUT ${one}`]: cell('developer', 200, more(alertRow, '', { status: 'acknowledged' }), false),
  [`POST ${one}/incident`]: cell('developer', 202, more(alertRow, '/incident'), false),
  [`POST ${one}/todo`]: cell('developer', 201, more(alertRow, '/todo')),
  [`GET ${one}/metric_images`]: cell('developer', 200, more(alertRow, '/metric_images')),
  [`POST ${one}/metric_images`]: cell(
    'developer',
    201,
    async (p) => ({ path: `${await alertRow(p)}/metric_images`, form: picture() }),
    false,
  ),
  [`PUT ${one}/metric_images/:image_id`]: cell('developer', 200, more(image, '', { url_text: 'x' }), false),
  [`DELETE ${one}/metric_images/:image_id`]: cell('developer', 204, more(image), false),
  [`GET ${one}/metric_images/:image_id/file`]: cell('developer', 200, more(image, '/file')),
}

const json = { body: 'Something else' }

async function note(place: ProjectPlace): Promise<string> {
  const notes = `${await alertRow(place)}/notes`
  const { body } = await place.owner.post(notes, { body: 'Something' })
  return `${notes}/${body.id}`
}

async function started(place: ProjectPlace): Promise<{ discussion: string; note: string }> {
  const discussions = `${await alertRow(place)}/discussions`
  const { body } = await place.owner.post(discussions, { body: 'Something' })
  const discussion = `${discussions}/${body.id}`
  return { discussion, note: `${discussion}/notes/${body.notes[0].id}` }
}
const discussion = async (place: ProjectPlace) => (await started(place)).discussion
const noteIn = async (place: ProjectPlace) => (await started(place)).note

const talk: RouteExpectations = {
  [`GET ${one}/notes`]: cell('developer', 200, more(alertRow, '/notes')),
  [`GET ${one}/notes/:note_id`]: cell('developer', 200, more(note)),
  [`POST ${one}/notes`]: cell('developer', 201, more(alertRow, '/notes', json), false),
  [`PUT ${one}/notes/:note_id`]: cell('maintainer', 200, more(note, '', json), false),
  [`DELETE ${one}/notes/:note_id`]: cell('maintainer', 204, more(note), false),
  [`GET ${one}/discussions`]: cell('developer', 200, more(alertRow, '/discussions')),
  [`GET ${one}/discussions/:discussion_id`]: cell('developer', 200, more(discussion)),
  [`POST ${one}/discussions`]: cell('developer', 201, more(alertRow, '/discussions', json), false),
  [`GET ${one}/discussions/:discussion_id/notes`]: cell('developer', 200, more(discussion, '/notes')),
  [`POST ${one}/discussions/:discussion_id/notes`]: cell(
    'developer',
    201,
    more(discussion, '/notes', json),
    false,
  ),
  [`GET ${one}/discussions/:discussion_id/notes/:note_id`]: cell('developer', 200, more(noteIn)),
  [`PUT ${one}/discussions/:discussion_id/notes/:note_id`]: cell(
    'maintainer',
    200,
    more(noteIn, '', json),
    false,
  ),
  [`DELETE ${one}/discussions/:discussion_id/notes/:note_id`]: cell('maintainer', 204, more(noteIn), false),
}

function awardsOf(url: string, target: (place: ProjectPlace) => Promise<string>): RouteExpectations {
  const award = { name: 'thumbsup' }
  const givenBy =
    (who: 'owner' | 'developer'): Request =>
    async (place) => {
      const awards = `${await target(place)}/award_emoji`
      return { path: `${awards}/${(await place[who].post(awards, award)).body.id}` }
    }
  return {
    [`GET ${url}`]: cell('developer', 200, more(target, '/award_emoji')),
    [`GET ${url}/:award_id`]: cell('developer', 200, givenBy('owner')),
    [`POST ${url}`]: cell('developer', 201, more(target, '/award_emoji', award), false),
    // One's own is everybody's to take back; those of others are for administrators.
    [`DELETE ${url}/:award_id`]: cell('administrator', 204, givenBy('developer'), false),
  }
}

export const alertExpectations: RouteExpectations = {
  ...integrations,
  ...own,
  ...talk,
  ...awardsOf(`${one}/award_emoji`, alertRow),
  ...awardsOf(`${one}/notes/:note_id/award_emoji`, note),
}
