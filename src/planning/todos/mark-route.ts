import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type ContainerSubject, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { NoContent } from '#platform/http/schema.ts'
import { type KindIdentity, pathOf } from '#planning/noteables/identity.ts'
import { byNoteable } from '#planning/noteables/paths.ts'
import { addTodo } from './add-todo.ts'
import { presentTodo, todoEntity } from './entity.ts'
import { findTodo } from './queries.ts'

/** The path of something that people put on their lists. */
interface Markable extends Pick<
  KindIdentity,
  'title' | 'container' | 'segment' | 'key' | 'tier' | 'deprecated'
> {
  /** Who may. */
  readonly subject: ContainerSubject
  /** Finds the noteable that the path names. @throws 404 */
  find(tx: Tx, req: FastifyRequest, iid: number): Promise<{ readonly id: number }>
}

/** The route that puts something on the caller's list. */
export const markRoute =
  (markable: Markable): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { title, key, subject, tier, deprecated } = markable
    app.post(
      `${pathOf(markable)}/todo`,
      {
        config: writes(subject, tier === undefined ? {} : { tier }),
        schema: {
          summary: `Put ${title} on your to-do list`,
          description: 'Answers 304 while it is there already, whatever the reason.',
          ...(deprecated && { deprecated }),
          params: byNoteable(markable, {}),
          response: { 201: todoEntity(), 304: NoContent },
        },
      },
      async (req, reply) => {
        const owner = { ...req.viewer, id: req.user().id }
        const added = await req.write(async (tx) => {
          const { id: noteableId } = await markable.find(tx, req, Number(req.params[key.param]))
          const id = await addTodo(tx, { userId: owner.id, noteableId })
          return id === undefined ? undefined : findTodo(tx.db, owner, id)
        })
        if (added === undefined) return reply.code(304).send()
        return presentTodo(added, req)
      },
    )
  }
