import { w } from '#test/world.ts'
import type { ProjectPlace, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const award = { name: 'thumbsup' }

/** A fresh issue of the place, by the owner. */
async function issue({ id, owner }: ProjectPlace): Promise<string> {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: 'To react to' })
  return `/projects/${id}/issues/${body.iid}`
}

/** A fresh note on a fresh issue, by the owner. */
async function note(p: ProjectPlace): Promise<string> {
  const path = await issue(p)
  const { body } = await p.owner.get(path)
  const { id } = await w.db
    .insertInto('notes')
    .values({
      noteable_id: body.id,
      author_id: p.owner.id,
      body: 'A comment',
      discussion_id: Buffer.alloc(20, 1),
      starts_discussion: true,
      created_at: body.created_at,
      updated_at: body.created_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return `${path}/notes/${id}`
}

/** A fresh award on it, by the owner. */
async function given(p: ProjectPlace, path: string): Promise<string> {
  const { body } = await p.owner.post(`${path}/award_emoji`, award)
  return `${path}/award_emoji/${body.id}`
}

/** One's own is everybody's to take back; those of others are for administrators. */
const onAny = (
  route: string,
  made: (place: ProjectPlace) => Promise<string>,
): [string, RouteExpectation][] => [
  [
    `GET ${route}`,
    {
      in: 'project',
      lowest: 'readers',
      status: 200,
      request: async (p) => ({ path: `${await made(p)}/award_emoji` }),
    },
  ],
  [
    `GET ${route}/:award_id`,
    {
      in: 'project',
      lowest: 'readers',
      status: 200,
      request: async (p) => ({ path: await given(p, await made(p)) }),
    },
  ],
  [
    `POST ${route}`,
    {
      in: 'project',
      lowest: 'signed-in readers',
      status: 201,
      whileArchived: false,
      request: async (p) => ({ path: `${await made(p)}/award_emoji`, json: award }),
    },
  ],
  [
    `DELETE ${route}/:award_id`,
    {
      in: 'project',
      lowest: 'administrator',
      status: 204,
      whileArchived: false,
      request: async (p) => {
        const path = await made(p)
        const { body } = await p.guest.post(`${path}/award_emoji`, award)
        return { path: `${path}/award_emoji/${body.id}` }
      },
    },
  ],
]

export const awardEmojiExpectations: RouteExpectations = Object.fromEntries([
  ...onAny('/projects/:id/issues/:issue_iid/award_emoji', issue),
  ...onAny('/projects/:id/issues/:issue_iid/notes/:note_id/award_emoji', note),
])
