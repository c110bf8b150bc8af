import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { HttpError } from '#platform/http/errors.ts'
import { anyone, reads } from '#platform/access/route-access.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { NoContent } from '#platform/http/schema.ts'
import { isoOrNull } from '#platform/http/time.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { attributesWith } from './attributes.ts'
import { createRunner } from './create-runner.ts'
import { ResetToken, RunnerRegistration } from './entity.ts'
import { findRunnerOfToken, type KnownRunner } from './find-runner.ts'
import { noteContact } from './note-contact.ts'
import { RegisteredRunner, RemovedManager, RunnerToken, VerifiedRunner } from './parameters.ts'
import { lockRunner } from './queries.ts'
import { mayRegister, ownerOfRegistration } from './registration.ts'
import { removeRunner } from './remove-runner.ts'
import { resetToken } from './reset-token.ts'
import { newRunnerToken, tokenEnd } from './tokens.ts'

const byToken = reads(anyone, { anonymous: true })

/** What runners call themselves, with nothing but their tokens. */
export const ownRunnerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  /** Nobody is signed in: what the runner does is the instance's. */
  const write = <T>(req: FastifyRequest, work: (tx: Tx) => Promise<T>): Promise<T> =>
    transact(services, { author: null, ip: req.ip, requestId: req.id }, work)

  /** @throws 403 for a token that is none's or has ended */
  const runnerOf = async (token: string): Promise<KnownRunner> => {
    const runner = await findRunnerOfToken(db, token, services.clock.now())
    if (runner === undefined) throw forbidden()
    return runner
  }

  app.post(
    '/runners',
    {
      config: byToken,
      schema: {
        summary: 'Register a runner with a registration token',
        description:
          'Use `POST /user/runners`. 410 where the settings do not let runners register themselves.',
        deprecated: { since: '2022-11-22', successor: '`POST /user/runners`' },
        body: RegisteredRunner,
        refuses: [410],
        response: { 201: RunnerRegistration },
      },
    },
    async (req) => {
      const { token, maintainer_note, ...given } = req.body
      const settings = services.settings()
      const owner = await ownerOfRegistration(db, token)
      if (owner === undefined) throw forbidden('invalid token supplied')
      if (!mayRegister(owner, settings))
        throw new HttpError(410, { message: '410 Gone - runner registration disallowed' })
      const attributes = attributesWith({
        ...given,
        ...(maintainer_note !== undefined && { maintenance_note: maintainer_note }),
      })
      const { secret, digest } = newRunnerToken(services.random, { isRegistered: true })
      const end = tokenEnd(owner.type, settings, services.clock.now().toISOString())
      const id = await write(req, (tx) =>
        createRunner(tx, owner, { ...attributes, tokenDigest: digest, tokenEnd: end, isRegistered: true }),
      )
      return { id, token: secret, token_expires_at: end }
    },
  )

  app.delete(
    '/runners',
    {
      config: byToken,
      schema: { summary: 'Remove a runner with its token', body: RunnerToken, response: { 204: NoContent } },
    },
    async (req) => {
      const { id } = await runnerOf(req.body.token)
      await write(req, async (tx) => removeRunner(tx, await lockRunner(tx, req.viewer, id, 'remove')))
    },
  )

  app.delete(
    '/runners/managers',
    {
      config: byToken,
      schema: {
        summary: 'Remove a manager with the token of its runner',
        body: RemovedManager,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = await runnerOf(req.body.token)
      await write(req, async (tx) => {
        const removed = await tx.db
          .deleteFrom('ci_runner_managers')
          .where('runner_id', '=', id)
          .where('system_id', '=', req.body.system_id)
          .returning('id')
          .executeTakeFirst()
        if (removed === undefined) throw notFound('Runner manager')
      })
    },
  )

  app.post(
    '/runners/verify',
    {
      config: byToken,
      schema: {
        summary: 'Verify the token of a runner',
        body: VerifiedRunner,
        response: { 200: RunnerRegistration },
      },
    },
    async (req) => {
      const { token, system_id: systemId } = req.body
      const { id, token_expires_at } = await runnerOf(token)
      await noteContact(services, id, { systemId })
      return { id, token, token_expires_at: isoOrNull(token_expires_at) }
    },
  )

  app.post(
    '/runners/reset_authentication_token',
    {
      config: byToken,
      schema: {
        summary: 'Exchange the token of a runner for another',
        description: 'The one before ends at once.',
        body: RunnerToken,
        response: { 201: ResetToken },
      },
    },
    async (req) => {
      const { id } = await runnerOf(req.body.token)
      return write(req, async (tx) => {
        const runner = await lockRunner(tx, req.viewer, id)
        const token = newRunnerToken(tx.random, { isRegistered: runner.by_registration })
        const end = tokenEnd(runner.runner_type, services.settings(), tx.now)
        await resetToken(tx, runner, token, end)
        return { token: token.secret, token_expires_at: end }
      })
    },
  )
}
