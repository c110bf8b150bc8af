import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import type { World } from '#test/world.ts'

/** One that no page of another test shows. */
const message = { message: 'Tea is ready', target_path: '/no/such/page' }

const made = async (w: World): Promise<string> => {
  const { body } = await w.root.post('/broadcast_messages', message)
  return `/broadcast_messages/${body.id}`
}

const of = (
  lowest: 'anonymous' | 'administrator',
  status: number,
  request: (w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'instance', lowest, status, request })

export const broadcastMessageExpectations: RouteExpectations = {
  'GET /broadcast_messages': of('anonymous', 200, async () => ({ path: '/broadcast_messages' })),
  'GET /broadcast_messages/:id': of('anonymous', 200, async (w) => ({ path: await made(w) })),
  'POST /broadcast_messages': of('administrator', 201, async () => ({
    path: '/broadcast_messages',
    json: message,
  })),
  'PUT /broadcast_messages/:id': of('administrator', 200, async (w) => ({
    path: await made(w),
    json: { message: 'Coffee is ready' },
  })),
  'DELETE /broadcast_messages/:id': of('administrator', 204, async (w) => ({ path: await made(w) })),
}
