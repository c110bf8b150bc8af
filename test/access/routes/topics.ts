import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import { unique, type World } from '#test/world.ts'

const topic = () => ({ name: unique('topic'), title: 'A topic' })

/** The id of a fresh topic. */
async function made(w: World): Promise<number> {
  const { body } = await w.root.post('/topics', topic())
  return body.id
}

const of = (
  lowest: 'anonymous' | 'administrator',
  status: number,
  request: (w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'instance', lowest, status, request })

export const topicExpectations: RouteExpectations = {
  'GET /topics': of('anonymous', 200, async () => ({ path: '/topics' })),
  'GET /topics/:id': of('anonymous', 200, async (w) => ({ path: `/topics/${await made(w)}` })),
  'POST /topics': of('administrator', 201, async () => ({ path: '/topics', json: topic() })),
  'PUT /topics/:id': of('administrator', 200, async (w) => ({
    path: `/topics/${await made(w)}`,
    json: { title: 'Another' },
  })),
  'DELETE /topics/:id': of('administrator', 204, async (w) => ({ path: `/topics/${await made(w)}` })),
  'POST /topics/merge': of('administrator', 201, async (w) => ({
    path: '/topics/merge',
    json: { source_topic_id: await made(w), target_topic_id: await made(w) },
  })),
}
