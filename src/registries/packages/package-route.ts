import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ContainerSubject, RouteAccess } from '#platform/access/route-access.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { type HttpError, meaningOf, writeError } from '#platform/http/errors.ts'
import { NotFound, unauthorized } from '#platform/refusals.ts'

// Package managers talk to these routes: with the tokens of people, of jobs and with deploy tokens.

/** A route from which package managers read. */
export const readsPackages = (subject: ContainerSubject): { access: RouteAccess } =>
  reads(subject, {
    anonymous: true,
    jobToken: true,
    deployToken: ['read_package_registry', 'write_package_registry'],
  })

/** A route to which package managers publish. */
export const writesPackages = (subject: ContainerSubject): { access: RouteAccess } =>
  writes(subject, { jobToken: true, deployToken: ['write_package_registry'] })

const CHALLENGE = { 'www-authenticate': 'Basic realm="Forgelet", charset="UTF-8"' }

/**
 * Answers refusals as package managers need them: many send credentials only when they are asked for them (RFC 9110 §11.6.1), so
 * strangers are asked even about projects that they cannot see.
 * @param inWords makes of an answer what the clients of a format show
 */
export function refuseAsPackageManagersExpect(
  app: FastifyInstance,
  inWords: (answer: HttpError) => HttpError = (answer) => answer,
): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = isHidden(thrown, request) ? unauthorized() : thrown
    const answer = meaningOf(error, request)
    if (answer?.status === 401) reply.headers(CHALLENGE)
    writeError(answer === undefined ? error : inWords(answer), request, reply)
  })
}

/** Whether a stranger asks about a project or group that is not there, or not for them. */
const isHidden = (error: unknown, { identity, deployToken, ...request }: FastifyRequest): boolean =>
  error instanceof NotFound &&
  identity === undefined &&
  deployToken === undefined &&
  request.authorizedProject === undefined &&
  request.authorizedGroup === undefined
