import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Service } from '#code/git-transport/access.ts'
import { PushTooLarge } from '#code/git-transport/commands.ts'
import { BadPacket } from '#code/git-transport/pkt-line.ts'
import { receivePush } from '#code/git-transport/receive-pack.ts'
import { pour, protocolOf, type ServeOptions, showReferences, WANTS } from '#code/git-transport/references.ts'
import { answerOf } from '#code/git-transport/report.ts'
import { isWrittenByGit } from '#code/git-transport/written-by-git.ts'
import { READ_ONLY } from '#code/repositories/read-only.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { atPace } from '#platform/http/at-pace.ts'
import type { Pace } from '#platform/http/transport.ts'
import { badRequest, NotAllowed } from '#platform/refusals.ts'
import { type Answer, remark } from './answer.ts'
import type { FoundAccess } from './authorize-key.ts'
import type { SshCommand } from './command.ts'
import { SILENCE } from './pace.ts'

type GitCommand = Extract<SshCommand, { readonly kind: 'git' }>

export interface GitSession extends ServeOptions {
  readonly services: FastifyInstance['services']
  readonly access: FoundAccess
  /** What the client sends; what is answered goes to {@link answer}. */
  readonly socket: Socket
  readonly answer: Answer
  /** How slowly the client may send. Who reads too slowly is cut by whoever listens. */
  readonly sending: Pace
}

/** What authorizes for a command. */
export const serviceOf = ({ service }: GitCommand): Service =>
  service === 'git-receive-pack' ? service : 'git-upload-pack'

/** Runs a command of git for somebody who may. @throws the refusal, before or after the answer has begun. */
export async function runGit({ service }: GitCommand, session: GitSession): Promise<void> {
  const { services, access } = session
  const repository = await services.repositories.ensure(access.owner, access.defaultBranch)
  await services.repositories.assertThere(repository)
  if (service === 'git-receive-pack') return receivePack(repository, session)
  const timeout = `--timeout=${SILENCE / 1000}`
  return service === 'git-upload-pack'
    ? send(repository, ['upload-pack', '--strict', timeout, repository.folder], session)
    : send(repository, ['upload-archive', repository.folder], session)
}

/** A process answers the connection itself: nothing that it sends passes through this process. */
async function send(
  repository: StoredRepository,
  args: readonly string[],
  { protocol, signal, socket, answer, access }: GitSession,
): Promise<void> {
  const process = await repository.git.start(repository, args, {
    lane: 'transfer',
    environment: protocolOf(protocol),
    signal,
    outputTo: async () => ({ connection: await answer.begin(remarkOf(access)), as: 'plain' }),
  })
  const handBack = isWrittenByGit(socket, process)
  try {
    void pour(limited(pieces(socket), WANTS), process)
    await process.ended
  } finally {
    handBack()
  }
  answer.end()
}

/** What the client sends. Clients may close their side, and still read. */
const pieces = (socket: Socket): AsyncIterableIterator<Buffer> => socket.iterator({ destroyOnReturn: false })

/** @throws after so many bytes */
async function* limited(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw badRequest(`the request is larger than ${most} bytes`)
    yield piece
  }
}

const tooSlow = () => badRequest('the client sends too slowly')

async function receivePack(repository: StoredRepository, session: GitSession): Promise<void> {
  const { services, access, socket, answer, signal } = session
  if (repository.row.read_only_because !== null) throw new NotAllowed(READ_ONLY)
  const references = await showReferences(repository, 'git-receive-pack', session)
  await answer.begin(remarkOf(access))
  await writeAll(references, session)
  const body = atPace(pieces(socket), session.sending, tooSlow)
  const { commands, report } = await receivePush(body, {
    services,
    repository,
    access,
    maxBytes: (services.settings().receive_max_input_size ?? 0) * 1024 * 1024,
    signal,
    log: (error) => services.log.warn({ err: error }, 'a push was refused'),
    staysOpen: true,
  }).catch((error: unknown) => {
    throw error instanceof BadPacket || error instanceof PushTooLarge ? badRequest(error.message) : error
  })
  if (commands !== undefined) {
    await writeAll(answerOf(report, commands.capabilities), session)
  }
  answer.end()
}

/** Writes at the pace of the client. The connection stays open, as the client's side of it may still be read. */
async function writeAll(pieces: AsyncIterable<Buffer>, { socket, signal }: GitSession): Promise<void> {
  for await (const piece of pieces) {
    if (!socket.write(piece)) await once(socket, 'drain', { signal })
  }
}

/** What somebody is told who asked for a former path. */
const remarkOf = ({ movedTo }: FoundAccess): string =>
  movedTo === undefined
    ? ''
    : remark(`this repository is at ${movedTo}.git now. Change the address of your remote.`)
