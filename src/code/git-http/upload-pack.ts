import { Readable } from 'node:stream'
import { GitFailed } from '#code/git/errors.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import type { GitProcess } from '#code/git/processes/git-process.ts'
import { streamOutput } from '#code/git/processes/stream-output.ts'
import type { Repository } from '#code/git/repository.ts'
import type { Destination } from '#platform/processes/starter.ts'
import { Invalid } from '#platform/refusals.ts'
import type { Service } from '#code/git-transport/access.ts'
import { FLUSH, packet } from '#code/git-transport/pkt-line.ts'
import {
  LISTING,
  pour,
  protocolOf,
  type ServeOptions,
  showReferences,
} from '#code/git-transport/references.ts'

/** Whether a request of protocol 2 asks for references alone (gitprotocol-v2(5)). */
const isListing = (body: Buffer | Readable): boolean =>
  Buffer.isBuffer(body) && /^00..command=ls-refs\b/.test(body.toString('latin1', 0, 32))

/** The references that a repository shows to a client, or what it can do in protocol 2. */
export async function advertise(
  repository: Repository,
  service: Service,
  options: ServeOptions,
): Promise<Readable> {
  const all = await showReferences(repository, service, options)
  // Protocol 2 exists for reading alone, and begins without this line.
  const isSecond =
    service === 'git-upload-pack' && protocolOf(options.protocol)['GIT_PROTOCOL'] === 'version=2'
  if (isSecond) return all
  return Readable.from(after(Buffer.concat([packet(`# service=${service}\n`), FLUSH]), all), {
    objectMode: false,
  })
}

const CAPABILITIES =
  'report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta push-options object-format=sha1'

/** What an empty repository shows to somebody who is about to push, for one that is made by the push. */
export const NOTHING_YET = Buffer.concat([
  packet('# service=git-receive-pack\n'),
  FLUSH,
  packet(`${NO_OBJECT} capabilities^{}\0${CAPABILITIES}\n`),
  FLUSH,
])

/** Starts to answer a fetch. @param outputTo gets the answer, if this process does not. */
export async function startUploadPack(
  repository: Repository,
  body: Buffer | Readable,
  { protocol, signal }: ServeOptions,
  outputTo?: () => Promise<Destination>,
): Promise<GitProcess> {
  const args = ['upload-pack', '--stateless-rpc', '--strict', '--timeout=600', repository.folder]
  const process = await repository.git.start(repository, args, {
    ...(isListing(body) ? LISTING : { lane: 'transfer' }),
    environment: protocolOf(protocol),
    signal,
    ...(outputTo && { outputTo }),
  })
  if (Buffer.isBuffer(body)) process.stdin.end(body)
  else void pour(body, process)
  return process
}

/**
 * The same with the answer as a stream.
 * @throws the refusal for a failure of git or of the body, if no byte was sent yet.
 */
export async function uploadPack(
  repository: Repository,
  body: Buffer | Readable,
  options: ServeOptions,
): Promise<Readable> {
  const process = await startUploadPack(repository, body, options)
  return (await streamOutput(process).catch(asRefusal)).all
}

/** Messages of git about malformed requests. Git may notice that a compressed request is damaged before all of it has come. */
const NO_REQUEST = /protocol error|bad line length|expected|hung up unexpectedly|not our ref|bad object id/i

function asRefusal(error: unknown): never {
  if (error instanceof GitFailed && NO_REQUEST.test(error.stderr))
    throw new Invalid('Git does not understand the request: it is damaged, or no request of git.')
  throw error
}

async function* after(first: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}
