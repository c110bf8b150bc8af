import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { presentRunnerManager, Runner, RunnerManager, presentRunner } from '#code/jobs/runner.ts'
import { authorizeGroup, authorizeProject } from '#platform/access/authorize.ts'
import { anyone, project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { forbidden, invalidParameters } from '#platform/refusals.ts'
import { attributesWith } from './attributes.ts'
import { createRunner, type RunnerOwner } from './create-runner.ts'
import { presentRunnerDetails, ResetToken, RunnerDetails, RunnerRegistration } from './entity.ts'
import { managerOrder } from './order.ts'
import { ByProjectRunner, ByRunner, NewRunner, Pages, ProjectRunner, RunnerChanges } from './parameters.ts'
import { assertMayChange, assertMayRead, assertMayRemove } from './policy.ts'
import { findRunner, lockRunner, managersOf, placesOf } from './queries.ts'
import { removeRunner } from './remove-runner.ts'
import { resetToken } from './reset-token.ts'
import { disableRunner, enableRunner } from './runner-projects.ts'
import { newRunnerToken, tokenEnd } from './tokens.ts'
import { updateRunner } from './update-runner.ts'

const reading = { scopes: ['api', 'read_api', 'manage_runner'] } as const
const managing = { scopes: ['api', 'manage_runner'] } as const

/** One runner, for people; list-routes.ts has lists and own-routes.ts what runners call themselves. */
export const runnerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const one = '/runners/:id'
  const now = () => services.clock.now().toISOString()

  const details = async (req: FastifyRequest, id: number) => {
    const runner = await findRunner(db, req.viewer, id)
    assertMayRead(runner, req.viewer)
    return presentRunnerDetails(runner, await placesOf(db, req.viewer, id), { now: now(), site: req.site })
  }

  app.post(
    '/user/runners',
    {
      config: writes(anyone, { scopes: ['api', 'create_runner'] }),
      schema: {
        summary: 'Create a runner',
        description: 'The answer has the token of the runner, which nobody can read again.',
        body: NewRunner,
        response: { 201: RunnerRegistration },
      },
    },
    async (req) => {
      const owner = await ownerOf(req, req.body)
      const attributes = attributesWith(req.body)
      const { secret, digest } = newRunnerToken(services.random, { isRegistered: false })
      const end = tokenEnd(owner.type, services.settings(), now())
      const id = await req.write((tx) =>
        createRunner(tx, owner, { ...attributes, tokenDigest: digest, tokenEnd: end, isRegistered: false }),
      )
      return { id, token: secret, token_expires_at: end }
    },
  )

  app.get(
    one,
    {
      config: reads(anyone, reading),
      schema: {
        summary: 'Get a runner',
        description: 'Runners for the instance are shown to everybody who is signed in.',
        params: ByRunner,
        response: { 200: RunnerDetails },
      },
    },
    (req) => details(req, req.params.id),
  )

  app.put(
    one,
    {
      config: writes(anyone, managing),
      schema: {
        summary: 'Change a runner',
        params: ByRunner,
        body: RunnerChanges,
        response: { 200: RunnerDetails },
      },
    },
    async (req) => {
      const { id } = req.params
      await req.write(async (tx) => {
        const runner = await lockRunner(tx, req.viewer, id)
        assertMayChange(runner, req.viewer)
        await updateRunner(tx, runner, req.body)
      })
      return details(req, id)
    },
  )

  app.delete(
    one,
    {
      config: writes(anyone, managing),
      schema: {
        summary: 'Remove a runner',
        description: 'Jobs that it has fail.',
        params: ByRunner,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const runner = await lockRunner(tx, req.viewer, req.params.id, 'remove')
        assertMayRemove(runner, req.viewer)
        assertUnmodified(req, runner.updated_at)
        await removeRunner(tx, runner)
      })
    },
  )

  app.post(
    `${one}/reset_authentication_token`,
    {
      config: writes(anyone, managing),
      schema: {
        summary: 'Give a runner another token',
        description: 'The one before ends at once.',
        params: ByRunner,
        response: { 201: ResetToken },
      },
    },
    async (req) => {
      return req.write(async (tx) => {
        const runner = await lockRunner(tx, req.viewer, req.params.id)
        assertMayChange(runner, req.viewer)
        const token = newRunnerToken(tx.random, { isRegistered: runner.by_registration })
        const end = tokenEnd(runner.runner_type, services.settings(), tx.now)
        await resetToken(tx, runner, token, end)
        return { token: token.secret, token_expires_at: end }
      })
    },
  )

  app.get(
    `${one}/managers`,
    {
      config: reads(anyone, reading),
      schema: {
        summary: 'List the managers of a runner',
        description: 'The programs that use its token, newest first.',
        params: ByRunner,
        querystring: Pages,
        response: { 200: Type.Array(RunnerManager) },
      },
    },
    async (req, reply) => {
      const { id } = req.params
      assertMayRead(await findRunner(db, req.viewer, id), req.viewer)
      const rows = await paginate(req, reply, managersOf(db, id), managerOrder)
      const at = now()
      return rows.map((row) => presentRunnerManager(row, at))
    },
  )

  app.post(
    '/projects/:id/runners',
    {
      config: writes(project('admin_project_runner'), managing),
      schema: {
        summary: 'Enable a runner for a project',
        description: 'For project runners of another project that you maintain and that owns the runner.',
        params: ById,
        body: ProjectRunner,
        response: { 201: Runner },
      },
    },
    async (req) => {
      const { container } = req.project()
      const runner = await req.write((tx) => enableRunner(tx, container, req.viewer, req.body.runner_id))
      return presentRunner(runner, { now: now(), site: req.site })
    },
  )

  app.delete(
    '/projects/:id/runners/:runner_id',
    {
      config: writes(project('remove_project_runner'), managing),
      schema: {
        summary: 'Disable a runner for a project',
        description: 'The project that owns a runner keeps it until the runner is removed.',
        params: ByProjectRunner,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) =>
        disableRunner(tx, container, req.viewer, req.params.runner_id, (at) => assertUnmodified(req, at)),
      )
    },
  )
}

/** Whom a new runner is for. @throws 400 without the group or project, 403, 404 */
async function ownerOf(
  req: FastifyRequest,
  asked: Pick<Static<typeof NewRunner>, 'runner_type' | 'group_id' | 'project_id'>,
): Promise<RunnerOwner> {
  const { runner_type: type, group_id, project_id } = asked
  const { db } = req.server
  if (type === 'instance_type') {
    if (!req.viewer.admin) throw forbidden()
    return { type }
  }
  if (type === 'group_type') {
    if (group_id === undefined) throw missing('group_id')
    const { container } = await authorizeGroup(db, req.viewer, String(group_id), 'admin_group_runner')
    return { type, namespaceId: container.id }
  }
  if (project_id === undefined) throw missing('project_id')
  const { container } = await authorizeProject(db, req.viewer, String(project_id), 'admin_project_runner')
  return { type, namespaceId: container.namespace_id, projectId: container.id }
}

const missing = (name: string) => invalidParameters([{ name, text: 'is missing', missing: true }])
