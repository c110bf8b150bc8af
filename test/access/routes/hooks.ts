import { sql } from 'kysely'
import type { Place, World } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

/** A name that nobody has. */
const url = 'http://receiver.invalid/hook'
/** One that no request goes to. */
const local = 'http://127.0.0.1:9/'

/** A webhook with a header, a variable and a delivery. @returns the ids of the webhook and of the delivery */
async function insertHook(w: World, home: 'project' | 'group' | 'system', id: number) {
  const namespace =
    home === 'project'
      ? sql`(select project_namespace_id from projects where id = ${id})`
      : sql`${home === 'group' ? id : null}::bigint`
  const now = w.clock.now().toISOString()
  const { rows } = await sql<{ hook: number; attempt: number }>`
    with hook as (
      insert into hooks (namespace_id, url, triggers, failures, site, created_at, updated_at)
      values (${namespace}, ${local}, '{push_events}', 40, ${w.url}, ${now}, ${now}) returning id
    ), value as (
      insert into hook_values (hook_id, kind, key, sealed)
      select id, kind, 'key', ${w.running.services.secrets.seal('nothing', 'value')}::bytea
      from hook, unnest(array['header', 'variable']) as kind
    ), payload as (
      insert into hook_payloads (trigger, event, data, created_at) values ('push_hooks', 'Push Hook', '{}', ${now})
      returning id
    )
    insert into hook_attempts (hook_id, payload_id, idempotency_key, url, request_headers, response_headers,
      response_body, seconds, created_at)
    select hook.id, payload.id, gen_random_uuid(), 'http://other/', '{}', '{}', '', 0, ${now} from hook, payload
    returning hook_id as hook, id as attempt`.execute(w.db)
  const [made] = rows
  if (made === undefined) throw new Error('No webhook was made')
  return made
}

/** A webhook that was made by a request, whose values open. */
async function made(w: World, base: string): Promise<string> {
  const { body } = await w.root.post(base, { url })
  // Nobody is to be told anything.
  await w.db.updateTable('hooks').set({ failures: 40 }).where('id', '=', body.id).execute()
  return `${base}/${body.id}`
}

type Kind = 'project' | 'group'

function expectationsOf(kind: Kind): RouteExpectations {
  const lowest = kind === 'project' ? 'maintainer' : 'owner'
  const base = ({ id }: Place) => `/${kind}s/${id}/hooks`
  const cell = (
    status: number,
    whileArchived: boolean,
    request: (place: Place, w: World) => Promise<Asking> | Asking,
  ): RouteExpectation => ({ in: kind, lowest, status, whileArchived, request })
  const one = async (place: Place, w: World, rest = '', json?: object): Promise<Asking> => {
    const { hook, attempt } = await insertHook(w, kind, place.id)
    return { path: `${base(place)}/${hook}${rest.replace(':event', String(attempt))}`, json }
  }
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/hooks${rest}`
  const deletesValue = (segment: string) => cell(204, false, (place, w) => one(place, w, `/${segment}/key`))
  return {
    [at('GET')]: cell(200, true, (place) => ({ path: base(place) })),
    [at('GET', '/:hook_id')]: cell(200, true, (place, w) => one(place, w)),
    [at('GET', '/:hook_id/events')]: cell(200, true, (place, w) => one(place, w, '/events')),
    [at('POST')]: cell(201, false, (place) => ({ path: base(place), json: { url } })),
    [at('PUT', '/:hook_id')]: cell(200, false, async (place, w) => {
      const { hook } = await insertHook(w, kind, place.id)
      await w.db.deleteFrom('hook_values').where('hook_id', '=', hook).execute()
      return { path: `${base(place)}/${hook}`, json: { push_events: false } }
    }),
    [at('DELETE', '/:hook_id')]: cell(204, false, (place, w) => one(place, w)),
    [at('PUT', '/:hook_id/custom_headers/:key')]: cell(204, false, (place, w) =>
      one(place, w, '/custom_headers/key', { value: 'new' }),
    ),
    [at('DELETE', '/:hook_id/custom_headers/:key')]: deletesValue('custom_headers'),
    [at('PUT', '/:hook_id/url_variables/:key')]: cell(204, false, async (place, w) => {
      const { hook } = await insertHook(w, kind, place.id)
      await w.db.deleteFrom('hook_values').where('hook_id', '=', hook).execute()
      await w.db.updateTable('hooks').set({ url }).where('id', '=', hook).execute()
      return { path: `${base(place)}/${hook}/url_variables/key`, json: { value: 'new' } }
    }),
    [at('DELETE', '/:hook_id/url_variables/:key')]: deletesValue('url_variables'),
    // There are no samples of feature flags, and the delivery went to another URL.
    [at('POST', '/:hook_id/test/:trigger')]: cell(422, false, (place, w) =>
      one(place, w, '/test/feature_flag_events', {}),
    ),
    [at('POST', '/:hook_id/events/:hook_event_id/resend')]: cell(422, false, (place, w) =>
      one(place, w, '/events/:event/resend', {}),
    ),
  }
}

const system = (status: number, request: (w: World) => Promise<Asking> | Asking): RouteExpectation => ({
  in: 'instance',
  lowest: 'administrator',
  status,
  request,
})

const ofInstance = async (w: World, rest = '', json?: object): Promise<Asking> => {
  const { hook, attempt } = await insertHook(w, 'system', 0)
  return { path: `/hooks/${hook}${rest.replace(':event', String(attempt))}`, json }
}

export const hookExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
  'GET /hooks': system(200, () => ({ path: '/hooks' })),
  'GET /hooks/:hook_id': system(200, (w) => ofInstance(w)),
  'GET /hooks/:hook_id/events': system(200, (w) => ofInstance(w, '/events')),
  'POST /hooks': system(201, () => ({ path: '/hooks', json: { url } })),
  'PUT /hooks/:hook_id': system(200, async (w) => ({
    path: await made(w, '/hooks'),
    json: { push_events: true },
  })),
  'DELETE /hooks/:hook_id': system(204, (w) => ofInstance(w)),
  'PUT /hooks/:hook_id/custom_headers/:key': system(204, async (w) => ({
    path: `${await made(w, '/hooks')}/custom_headers/key`,
    json: { value: 'new' },
  })),
  'DELETE /hooks/:hook_id/custom_headers/:key': system(204, (w) => ofInstance(w, '/custom_headers/key')),
  'PUT /hooks/:hook_id/url_variables/:key': system(204, async (w) => ({
    path: `${await made(w, '/hooks')}/url_variables/key`,
    json: { value: 'new' },
  })),
  'DELETE /hooks/:hook_id/url_variables/:key': system(204, (w) => ofInstance(w, '/url_variables/key')),
  // The receiver is one that no request goes to, and the delivery went to another URL.
  'POST /hooks/:hook_id': system(422, async (w) => {
    const { hook } = await insertHook(w, 'system', 0)
    await w.db.deleteFrom('hook_values').where('hook_id', '=', hook).execute()
    return { path: `/hooks/${hook}`, json: {} }
  }),
  'POST /hooks/:hook_id/events/:hook_event_id/resend': system(422, (w) =>
    ofInstance(w, '/events/:event/resend', {}),
  ),
}
