import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { withStoredAvatar } from '#identity/avatars/store-avatar.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { createTopic } from './create-topic.ts'
import { deleteTopic } from './delete-topic.ts'
import { presentTopic, presentTopics, Topic } from './entity.ts'
import { lockTopic } from './lock-topic.ts'
import { mergeTopics } from './merge-topics.ts'
import { ById, Filter, Merge, NewTopic, TopicChanges } from './parameters.ts'
import { filterTopics, findTopic, topicOrder, topicsFor } from './queries.ts'
import { updateTopic } from './update-topic.ts'

/** Topics of projects. Administrators manage them, and projects add new ones. */
export const topicRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/topics',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List topics, those with the most projects first',
        description:
          'Counts include only projects that you can see. Topics that only a project created are visible to those who can see such a project.',
        querystring: Filter,
        response: { 200: Type.Array(Topic) },
      },
    },
    async (req, reply) => {
      const topics = filterTopics(topicsFor(db, req.viewer), req.query, req.viewer)
      return presentTopics(await paginate(req, reply, topics, topicOrder), req.site)
    },
  )

  app.get(
    '/topics/:id',
    {
      config: reads(anyone, { anonymous: true }),
      schema: { summary: 'Get a topic', params: ById, response: { 200: Topic } },
    },
    async (req) => presentTopic(await findTopic(db, req.viewer, req.params.id), req.site),
  )

  app.post(
    '/topics',
    {
      config: writes(admin),
      schema: { summary: 'Create a topic', body: NewTopic, response: { 201: Topic } },
    },
    async (req) => {
      const { file, ...asked } = req.body
      const wishes = await withStoredAvatar(services, { avatar: file, ...asked })
      const topic = await req.write(async (tx) => {
        const { id } = await createTopic(tx, wishes)
        return findTopic(tx.db, req.viewer, id)
      })
      return presentTopic(topic, req.site)
    },
  )

  app.put(
    '/topics/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Change a topic',
        params: ById,
        body: TopicChanges,
        refuses: [412],
        response: { 200: Topic },
      },
    },
    async (req) => {
      const { file, ...asked } = req.body
      const changes = await withStoredAvatar(services, { avatar: file, ...asked })
      return req.write(async (tx) => {
        const topic = await lockTopic(tx, req.params.id)
        assertUnmodified(req, topic.updated_at)
        await updateTopic(tx, topic, changes)
        return presentTopic(await findTopic(tx.db, req.viewer, topic.id), req.site)
      })
    },
  )

  app.delete(
    '/topics/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a topic, and remove it from its projects',
        params: ById,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const topic = await lockTopic(tx, req.params.id)
        assertUnmodified(req, topic.updated_at)
        await deleteTopic(tx, topic)
      })
    },
  )

  app.post(
    '/topics/merge',
    {
      config: writes(admin),
      schema: {
        summary: 'Merge a topic into another',
        description: 'The projects of the source get the target. The source is deleted.',
        body: Merge,
        response: { 201: Topic },
      },
    },
    async (req) => {
      const { source_topic_id: source, target_topic_id: target } = req.body
      const topic = await req.write(async (tx) => {
        await mergeTopics(tx, { source, target })
        return findTopic(tx.db, req.viewer, target)
      })
      return presentTopic(topic, req.site)
    },
  )
}
