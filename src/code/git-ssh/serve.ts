import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { meaningOutside } from '#platform/http/errors.ts'
import type { Pace } from '#platform/http/transport.ts'
import { sentenceOf } from '#code/git-transport/errors.ts'
import { Answer, remark } from './answer.ts'
import { authorizeKey, type FoundAccess, makingProjects, type SshOrigin } from './authorize-key.ts'
import { readCommand, type SshCommand } from './command.ts'
import { countFailure } from './failures.ts'
import type { SshRequest } from './request.ts'
import { runGit, serviceOf } from './run-git.ts'
import { findKey, holderOf, type KnownKey, noteUse, refusalOfKey } from './ssh-keys.ts'

type Services = FastifyInstance['services']
type Run = Extract<SshRequest, { readonly do: 'run' }>

/** Answers `git-lfs-authenticate`: what the client needs to speak with the server over HTTP, as JSON. */
export type LfsOverSsh = (
  services: Services,
  key: KnownKey,
  command: Extract<SshCommand, { readonly kind: 'lfs' }>,
  origin: SshOrigin,
) => Promise<string>

export const lfsOverSsh = new ExtensionPoint<LfsOverSsh>('the list of who knows LFS over SSH')

const NO_SHELL = 'this server runs no shell and no other programs: use git.'
const NO_LFS = 'this server has no Git LFS over SSH. Use an address with https:// for LFS.'
const FAILED = 'The server failed. Try again later.'

/** Serves a session of somebody who has proved to have a key. It never throws: what goes wrong is told to the client. */
export async function serveSession(
  services: Services,
  request: Run,
  socket: Socket,
  sending: Pace,
): Promise<void> {
  const answer = new Answer(socket)
  const left = new AbortController()
  socket.once('close', () => left.abort(new Error('the client left')))
  const origin = { ip: request.ip, requestId: `ssh-${randomUUID()}` }
  try {
    const key = await findKey(services.db, { id: request.key })
    if (key === undefined) return answer.tell(1, remark('this SSH key is unknown.'))
    const refusal = refusalOfKey(key, services.clock.now())
    if (refusal !== undefined) {
      await countFailure(services, key, origin.ip)
      return answer.tell(1, remark(refusal))
    }
    noteUse(services, key)
    const work = () => serve({ services, request, key, origin, socket, answer, sending, signal: left.signal })
    await onBehalfOf(() => holderOf(key), work)
  } catch (error) {
    refuse(services, answer, socket, error)
  }
}

interface Session {
  readonly services: Services
  readonly request: Run
  readonly key: KnownKey
  readonly origin: SshOrigin
  readonly socket: Socket
  readonly answer: Answer
  readonly sending: Pace
  readonly signal: AbortSignal
}

async function serve(session: Session): Promise<void> {
  const { services, request, key, origin, answer, sending, signal, socket } = session
  const command = readCommand(request.command)
  switch (command.kind) {
    case 'greeting':
      return answer.tell(0, '', `Welcome to Forgelet, ${nameOf(key)}!\n`)
    case 'unknown':
      return answer.tell(1, remark(NO_SHELL))
    case 'lfs': {
      const [lfs] = lfsOverSsh.entries
      if (lfs === undefined) return answer.tell(1, remark(NO_LFS))
      return answer.tell(0, '', await lfs(services, key, command, origin))
    }
    case 'git': {
      const access: FoundAccess = await authorizeKey(
        services,
        key,
        command.path,
        serviceOf(command),
        origin,
        makingProjects,
      )
      return runGit(command, {
        services,
        access,
        socket,
        answer,
        sending,
        signal,
        protocol: request.protocol,
      })
    }
  }
}

const nameOf = ({ isDeployKey, user, title }: KnownKey): string =>
  isDeployKey || user === undefined ? `deploy key "${title.replace(/[^ -~]/g, '?')}"` : `@${user.username}`

function refuse(services: Services, answer: Answer, socket: Socket, error: unknown): void {
  const { log } = services
  const hasLeft = socket.destroyed
  const known = meaningOutside(error)
  if (known === undefined && !hasLeft) log.warn({ err: error }, 'a session over SSH failed')
  if (hasLeft) return
  // Once git speaks, only the end of the connection says that something is wrong.
  if (answer.hasBegun) socket.destroy()
  else answer.tell(1, remark(known === undefined ? FAILED : sentenceOf(known)))
}
