import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { badRequest, NotAllowed } from '#platform/refusals.ts'
import { text } from '#platform/http/schema.ts'
import { READ_ONLY } from '#code/repositories/read-only.ts'
import type { GitAccess, Service } from '#code/git-transport/access.ts'
import { PushTooLarge } from '#code/git-transport/commands.ts'
import { BadPacket } from '#code/git-transport/pkt-line.ts'
import { authorizeComingPush, authorizePush } from '#code/git-transport/push-to-create.ts'
import { receivePush } from '#code/git-transport/receive-pack.ts'
import { answerOf } from '#code/git-transport/report.ts'
import { authorizeGit } from './authorize-git.ts'
import { writeGitError } from './errors.ts'
import { GIT } from './paths.ts'
import { assertType, bodyOf, leaveRest } from './transfer.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { HttpError } from '#platform/http/errors.ts'
import { isDirect, readSmall, sendDirectly } from './direct.ts'
import { type ServeOptions, WANTS } from '#code/git-transport/references.ts'
import { advertise, NOTHING_YET, startUploadPack, uploadPack } from './upload-pack.ts'

const params = Type.Object({ project: text({ max: 8_192 }) })
const querystring = Type.Object({ service: Type.Optional(text({ max: 255 })) })

/** Git over HTTP (gitprotocol-http(5)): clone, fetch and push. */
export const gitRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { repositories, settings } = app.services
  const errorHandler = writeGitError
  // Packs are compressed already, and git is not asked to wait for another program.
  app.addHook('onRequest', (request, _, done) => {
    leaveUncompressed(request)
    done()
  })

  /** The repository that was asked for. One that nobody has written to is made, and is empty. */
  const repositoryOf = async ({ owner, defaultBranch }: GitAccess) => {
    const repository = await repositories.ensure(owner, defaultBranch)
    await repositories.assertThere(repository)
    return repository
  }
  const optionsOf = (req: FastifyRequest, signal: AbortSignal): ServeOptions => ({
    protocol: [req.headers['git-protocol']].flat()[0],
    signal,
  })

  app.get(
    `${GIT}/info/refs`,
    { config: outside, schema: { params, querystring }, errorHandler, exposeHeadRoute: false },
    async (req, reply) => {
      const service = serviceOf(req.query.service)
      const { project } = req.params
      const access = await (service === 'git-receive-pack'
        ? authorizeGit(req, project, service, (caller) => authorizeComingPush(caller, project))
        : authorizeGit(req, project, service))
      reply
        .type(`application/x-${service}-advertisement`)
        .header('cache-control', 'no-cache, max-age=0, must-revalidate')
      // The push itself makes the project.
      if (access === undefined) return reply.send(NOTHING_YET)
      const repository = await repositoryOf(access)
      if (service === 'git-receive-pack' && repository.row.read_only_because !== null)
        throw new NotAllowed(READ_ONLY)
      return reply.send(await advertise(repository, service, optionsOf(req, clientOf(reply))))
    },
  )

  app.post(
    `${GIT}/git-upload-pack`,
    { config: { ...outside, ...streamed }, schema: { params }, errorHandler },
    async (req, reply) => {
      assertType(req, 'application/x-git-upload-pack-request')
      const access = await authorizeGit(req, req.params.project, 'git-upload-pack')
      const repository = await repositoryOf(access)
      const options = optionsOf(req, clientOf(reply))
      const body = await readSmall(bodyOf(req, WANTS))
      reply.type('application/x-git-upload-pack-result').header('cache-control', 'no-cache')
      if (!Buffer.isBuffer(body) || !isDirect(req, reply))
        return reply.send(await uploadPack(repository, body, options))
      await sendDirectly(req, reply, (begin) => startUploadPack(repository, body, options, begin))
      return reply
    },
  )

  app.post(
    `${GIT}/git-receive-pack`,
    { config: { ...outside, ...streamed }, schema: { params }, errorHandler },
    async (req, reply) => {
      assertType(req, 'application/x-git-receive-pack-request')
      const { project } = req.params
      const access = await authorizeGit(req, project, 'git-receive-pack', (caller) =>
        authorizePush(caller, project, `${caller.site}/`),
      )
      const repository = await repositoryOf(access)
      const { commands, report } = await receivePush(bodyOf(req, 0), {
        services: app.services,
        repository,
        access,
        maxBytes: (settings().receive_max_input_size ?? 0) * 1024 * 1024,
        signal: clientOf(reply),
        log: (error) => req.log.warn({ err: error }, 'a push was refused'),
      }).catch((error: unknown) => {
        if (error instanceof PushTooLarge) throw new HttpError(413, `${error.message}.`)
        throw error instanceof BadPacket ? badRequest(error.message) : error
      })
      reply.type('application/x-git-receive-pack-result').header('cache-control', 'no-cache')
      leaveRest(req)
      if (commands === undefined) return reply.send('')
      return reply.send(Readable.from(answerOf(report, commands.capabilities), { objectMode: false }))
    },
  )
}

/** @throws 403 for clients that know no protocol but that for plain files */
function serviceOf(name: string | undefined): Service {
  if (name === 'git-upload-pack' || name === 'git-receive-pack') return name
  throw new NotAllowed('This server speaks the smart protocol of git alone. Use git 1.6.6 or later.')
}
