import { unique, type World } from '#test/world.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const application = () => ({
  name: unique('application'),
  redirect_uri: 'https://app.example/callback',
  scopes: 'api',
})

const forAdministrators = (
  status: number,
  request: (w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'instance', lowest: 'administrator', status, request })

async function made(w: World): Promise<string> {
  const { body } = await w.root.post('/applications', application())
  return `/applications/${body.id}`
}

export const applicationExpectations: RouteExpectations = {
  'GET /applications': forAdministrators(200, async () => ({ path: '/applications' })),
  'POST /applications': forAdministrators(201, async () => ({ path: '/applications', json: application() })),
  'DELETE /applications/:id': forAdministrators(204, async (w) => ({ path: await made(w) })),
  'POST /applications/:id/renew-secret': forAdministrators(201, async (w) => ({
    path: `${await made(w)}/renew-secret`,
  })),
}
