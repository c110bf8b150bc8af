import { formWith, png } from '#tenancy/avatars/test-support.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'
import { type Actor, unique, type World } from '#test/world.ts'

const upload = async () => ({ form: formWith(await png()) })

/** Gives something an avatar; `path` is that of its API. */
async function given(by: Actor, path: string): Promise<void> {
  await by.send('PUT', path, await upload())
}

/** A page outside of the API. */
const page = (w: World, path: string) => ({ path: `${w.url}/uploads/-/system/${path}/avatar.png` })

export const avatarExpectations: RouteExpectations = {
  'GET /projects/:id/avatar': {
    in: 'project',
    lowest: 'readers',
    status: 200,
    request: async ({ id, owner }) => {
      await given(owner, `/projects/${id}`)
      return { path: `/projects/${id}/avatar` }
    },
  },
  'GET /groups/:id/avatar': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: async ({ id, owner }) => {
      await given(owner, `/groups/${id}`)
      return { path: `/groups/${id}/avatar` }
    },
  },
  'PUT /user/avatar': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: async () => ({ path: '/user/avatar', ...(await upload()) }),
  },
  'GET /avatar': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: () => ({ path: '/avatar?email=nobody@example.com' }),
  },
  'GET /uploads/-/system/project/avatar/:id/avatar.png': {
    in: 'project',
    lowest: 'readers',
    status: 200,
    request: async ({ id, owner }, w) => {
      await given(owner, `/projects/${id}`)
      return page(w, `project/avatar/${id}`)
    },
  },
  'GET /uploads/-/system/group/avatar/:id/avatar.png': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: async ({ id, owner }, w) => {
      await given(owner, `/groups/${id}`)
      return page(w, `group/avatar/${id}`)
    },
  },
  'GET /uploads/-/system/user/avatar/:id/avatar.png': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: async (w) => {
      const user = await w.user()
      await given(user, '/user/avatar')
      return page(w, `user/avatar/${user.id}`)
    },
  },
  'GET /uploads/-/system/projects/topic/avatar/:id/avatar.png': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: async (w) => {
      const { body } = await w.root.post('/topics', { name: unique('topic'), title: 'x' })
      await given(w.root, `/topics/${body.id}`)
      return page(w, `projects/topic/avatar/${body.id}`)
    },
  },
}
