import { sql } from 'kysely'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import type { Client } from '#test/client.ts'
import { type Place, unique, w } from '#test/world.ts'
import { licensedAs } from '#test/access/licensed.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'
type Request = (place: Place, by: (actor: Client) => Client) => Promise<Asking>
type Lowest = 'readers' | 'signed-in readers' | 'developer' | 'maintainer' | 'administrator'

/** What a route of projects or groups must answer whom. Wikis of groups are made on a server that has a plan. */
function at(kind: Kind, lowest: Lowest, status: number, request: Request): RouteExpectation {
  const whileArchived = status === 200 && lowest.endsWith('readers')
  const common = { lowest, status, whileArchived } as const
  return { in: kind, ...common, request: (place: Place) => request(place, licensedAs) }
}

const page = () => ({ title: unique('Page'), content: 'Text' })

/** Routes of pages, attachments and of what is said about pages, below `/projects/:id` or `/groups/:id`. */
function expectationsOf(kind: Kind): RouteExpectations {
  const wikis = ({ id }: Place) => `/${kind}s/${id}/wikis`
  /** A page by a developer. @returns its path */
  const made: Request = async (p, by) => {
    const { body } = await by(p.developer).post(wikis(p), page())
    return { path: `${wikis(p)}/${body.slug}` }
  }
  const withJson = async (asking: Promise<Asking>, json: unknown): Promise<Asking> => ({
    ...(await asking),
    json,
  })
  const attachment: Request = async (p) => {
    const form = new FormData()
    form.set('file', new Blob(['x']), 'x.txt')
    return { path: `${wikis(p)}/attachments`, form }
  }
  const url = `/${kind}s/:id/wikis`
  return {
    [`GET ${url}`]: at(kind, 'readers', 200, async (p) => ({ path: wikis(p) })),
    [`GET ${url}/:slug`]: at(kind, 'readers', 200, made),
    [`GET ${url}/:slug/diff`]: at(kind, 'readers', 200, async (p, by) => ({
      path: `${(await made(p, by)).path}/diff`,
    })),
    [`POST ${url}`]: at(kind, 'developer', 201, async (p) => ({ path: wikis(p), json: page() })),
    [`PUT ${url}/:slug`]: at(kind, 'developer', 200, (p, by) => withJson(made(p, by), { content: 'Other' })),
    [`DELETE ${url}/:slug`]: at(kind, 'developer', 204, made),
    [`POST ${url}/attachments`]: at(kind, 'developer', 201, attachment),
    ...talkOf(kind),
  }
}

/** A page that is a row alone: what is said about it asks git nothing. */
async function pageOf(kind: Kind, place: Place): Promise<string> {
  const namespaceId = kind === 'project' && 'namespaceId' in place ? Number(place.namespaceId) : place.id
  const now = new Date().toISOString()
  const name = kind === 'project' ? 'wiki_page' : 'group_wiki_page'
  const { rows } = await sql<{ id: number }>`
    with page as (
      insert into wiki_pages (namespace_id, slug, created_at) values (${namespaceId}, ${unique('page')}, ${now})
      returning id
    ), noteable as ${insertNoteables('page', { kind: name, namespaceId, updatedAt: now })}
    select id from page`.execute(w.db)
  return `/${kind}s/${place.id}/wiki_pages/${rows[0]?.id}`
}

function talkOf(kind: Kind): RouteExpectations {
  const json = { body: 'Something' }
  const on =
    (more: string, body?: unknown): Request =>
    async (p) => ({ path: `${await pageOf(kind, p)}/${more}`, ...(body !== undefined && { json: body }) })
  const note: Request = async (p, by) => {
    const path = `${await pageOf(kind, p)}/notes`
    return { path: `${path}/${(await by(p.owner).post(path, json)).body.id}` }
  }
  const discussion: Request = async (p, by) => {
    const path = `${await pageOf(kind, p)}/discussions`
    return { path: `${path}/${(await by(p.owner).post(path, json)).body.id}` }
  }
  const noteIn: Request = async (p, by) => {
    const { path } = await discussion(p, by)
    const { body } = await by(p.owner).get(path)
    return { path: `${path}/notes/${body.notes[0].id}` }
  }
  const more =
    (request: Request, end: string, body?: unknown): Request =>
    async (p, by) => ({
      path: (await request(p, by)).path + end,
      ...(body !== undefined && { json: body }),
    })
  const url = `/${kind}s/:id/wiki_pages/:wiki_page_meta_id`
  const reading = (request: Request) => at(kind, 'signed-in readers', 200, request)
  const writing = (request: Request) => at(kind, 'signed-in readers', 201, request)
  const changing = (status: number, request: Request) => at(kind, 'maintainer', status, request)
  return {
    [`GET ${url}/notes`]: reading(on('notes')),
    [`GET ${url}/notes/:note_id`]: reading(note),
    [`POST ${url}/notes`]: writing(on('notes', json)),
    [`PUT ${url}/notes/:note_id`]: changing(200, more(note, '', json)),
    [`DELETE ${url}/notes/:note_id`]: changing(204, note),
    [`GET ${url}/discussions`]: reading(on('discussions')),
    [`GET ${url}/discussions/:discussion_id`]: reading(discussion),
    [`POST ${url}/discussions`]: writing(on('discussions', json)),
    [`GET ${url}/discussions/:discussion_id/notes`]: reading(more(discussion, '/notes')),
    [`POST ${url}/discussions/:discussion_id/notes`]: writing(more(discussion, '/notes', json)),
    [`GET ${url}/discussions/:discussion_id/notes/:note_id`]: reading(noteIn),
    [`PUT ${url}/discussions/:discussion_id/notes/:note_id`]: changing(200, more(noteIn, '', json)),
    [`DELETE ${url}/discussions/:discussion_id/notes/:note_id`]: changing(204, noteIn),
    ...awardsOf(kind, `${url}/award_emoji`, async (p) => ({ path: await pageOf(kind, p) })),
    ...awardsOf(kind, `${url}/notes/:note_id/award_emoji`, note),
  }
}

function awardsOf(kind: Kind, url: string, target: Request): RouteExpectations {
  const json = { name: 'thumbsup' }
  const awards: Request = async (p, by) => ({ path: `${(await target(p, by)).path}/award_emoji` })
  const givenBy =
    (who: 'owner' | 'guest'): Request =>
    async (p, by) => {
      const { path } = await awards(p, by)
      return { path: `${path}/${(await by(p[who]).post(path, json)).body.id}` }
    }
  return {
    [`GET ${url}`]: at(kind, 'readers', 200, awards),
    [`GET ${url}/:award_id`]: at(kind, 'readers', 200, givenBy('owner')),
    [`POST ${url}`]: at(kind, 'signed-in readers', 201, async (p, by) => ({
      ...(await awards(p, by)),
      json,
    })),
    // One's own is everybody's to take back; those of others are for administrators.
    [`DELETE ${url}/:award_id`]: at(kind, 'administrator', 204, givenBy('guest')),
  }
}

export const wikiExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
