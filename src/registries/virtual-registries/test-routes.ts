import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { ById } from '#platform/http/schema.ts'
import { openCredentials, readCredentials } from './credentials.ts'
import { TestResult } from './entity.ts'
import { assertTopLevel, authorizeIn, hiddenUnlessOpen, writesById, writesOfGroup } from './gate.ts'
import { ByUpstream, NewUpstreamTest, UpstreamTest } from './parameters.ts'
import { numberIn } from './path-ids.ts'
import { findGroupOf, findUpstream } from './queries.ts'
import { type Remote, Remotes } from './remote/remotes.ts'
import { testConnection } from './test-connection.ts'
import { assertReachable, readUpstreamUrl } from './upstream-url.ts'

/** How many tests a person may ask for in a minute: each is a request to a server that they name. */
const ALLOWANCE = { points: 30, seconds: 60 }

/** Tests of the connection to upstreams. */
export const testRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { outgoing, limits } = services

  interface Tested {
    readonly groupId: number
    /** Undefined before there is one. */
    readonly upstream: { readonly id: number; readonly name: string } | undefined
    readonly path?: string | undefined
  }

  const test = async (req: FastifyRequest, remote: Remote, { groupId, upstream, path }: Tested) => {
    await limits.take('container_upstream_tests', req.user().id, ALLOWANCE)
    // A test knows nothing of tokens that pulls have got, so that it says what holds now.
    const result = await testConnection(new Remotes(outgoing), remote, path)
    await req.write(async (tx) =>
      record(tx, {
        name: 'container upstream tested',
        namespace: groupId,
        target:
          upstream === undefined
            ? { type: 'Group', id: groupId }
            : { type: 'ContainerUpstream', id: upstream.id },
        details: { name: upstream?.name ?? remote.url, url: remote.url, success: result.success },
      }),
    )
    return result
  }

  app.post(
    '/groups/:id/-/virtual_registries/container/upstreams/test',
    {
      preValidation: hiddenUnlessOpen(),
      config: writesOfGroup,
      schema: {
        summary: 'Test the connection to an upstream before you create it',
        params: ById,
        body: NewUpstreamTest,
        response: { 200: TestResult },
      },
    },
    async (req) => {
      const { container } = req.group()
      assertTopLevel(container)
      const url = readUpstreamUrl(req.body.url)
      const credentials = readCredentials(req.body)
      await assertReachable(outgoing, url)
      return test(req, { url, credentials }, { groupId: container.id, upstream: undefined })
    },
  )

  app.post(
    '/virtual_registries/container/upstreams/:id/test',
    {
      preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'upstream', id))),
      config: writesById,
      schema: {
        summary: 'Test the connection to an upstream',
        description:
          'With another URL or other credentials if given. Another URL without credentials is asked anonymously.',
        params: ByUpstream,
        body: UpstreamTest,
        response: { 200: TestResult },
      },
    },
    async (req) => {
      const { id } = req.params
      const { id: groupId } = await authorizeIn(
        req,
        await findGroupOf(db, 'upstream', id),
        'admin_virtual_registry',
      )
      const { url: text, username, password } = req.body
      const url = text === undefined ? undefined : readUpstreamUrl(text)
      const given = readCredentials(req.body)
      if (url !== undefined) await assertReachable(outgoing, url)
      const upstream = await findUpstream(db, id).catch(() => {
        throw notFound()
      })
      const isSame = url === undefined || url === upstream.url
      const isGiven = username !== undefined || password !== undefined
      const credentials = isGiven || !isSame ? given : await openCredentials(services, upstream)
      return test(
        req,
        { url: url ?? upstream.url, credentials },
        { groupId, upstream, path: await keptPath(id) },
      )
    },
  )

  /** Where the upstream had something lately. */
  const keptPath = async (upstreamId: number): Promise<string | undefined> => {
    const found = await db
      .selectFrom('container_cache_entries')
      .select('relative_path')
      .where('upstream_id', '=', upstreamId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return found?.relative_path
  }
}
