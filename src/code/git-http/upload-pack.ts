import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import type { GitProcess } from '#code/git/processes/git-process.ts'
import type { Repository } from '#code/git/repository.ts'
import type { Service } from './authorize-git.ts'
import { FLUSH, packet } from './pkt-line.ts'

export interface ServeOptions {
  /** The protocol that the client asks for, as its header `Git-Protocol` has it. */
  readonly protocol: string | undefined
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

/** The references that a repository shows to a client, or what it can do in protocol 2. */
export async function advertise(
  repository: Repository,
  service: Service,
  options: ServeOptions,
): Promise<Readable> {
  const { git } = repository
  const environment = protocolOf(options.protocol)
  const command = service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack'
  const args = [command, '--stateless-rpc', '--http-backend-info-refs', repository.folder]
  const process = await git.start(repository, args, { lane: 'transfer', signal: options.signal, environment })
  process.stdin.end()
  // Protocol 2 exists for reading alone, and begins without this line.
  const isSecond =
    service === 'git-upload-pack' && environment['GIT_PROTOCOL']?.includes('version=2') === true
  return output(
    process,
    options,
    isSecond ? undefined : Buffer.concat([packet(`# service=${service}\n`), FLUSH]),
  )
}

/** Starts to answer what a client wants to fetch. @param outputTo where the answer goes, if not to this process. */
export async function startUploadPack(
  repository: Repository,
  body: Buffer | Readable,
  { protocol, signal }: ServeOptions,
  outputTo?: () => Promise<Socket>,
): Promise<GitProcess> {
  const args = ['upload-pack', '--stateless-rpc', '--strict', '--timeout=600', repository.folder]
  const process = await repository.git.start(repository, args, {
    lane: 'transfer',
    environment: protocolOf(protocol),
    signal,
    ...(outputTo && { outputTo }),
  })
  if (Buffer.isBuffer(body)) process.stdin.end(body)
  else {
    body.on('error', (error) => process.kill(error))
    body.pipe(process.stdin)
  }
  return process
}

/** The same with the answer as a stream. */
export async function uploadPack(
  repository: Repository,
  body: Buffer | Readable,
  options: ServeOptions,
): Promise<Readable> {
  return output(await startUploadPack(repository, body, options), options)
}

/** Waits for the first bytes, so that what fails at once can still be answered as a failure. */
async function output(process: GitProcess, { onFailure }: ServeOptions, before?: Buffer): Promise<Readable> {
  const { stdout } = process
  await Promise.race([once(stdout, 'readable'), once(stdout, 'end')]).catch(() => {})
  if (stdout.readableLength === 0) await process.ended
  process.ended.catch((error: unknown) => {
    onFailure(error)
    stdout.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  if (before === undefined) return stdout
  const answer = new PassThrough()
  answer.write(before)
  stdout.on('error', (error) => answer.destroy(error))
  answer.on('close', () => stdout.destroy())
  return stdout.pipe(answer)
}

function protocolOf(header: string | undefined): Record<string, string> {
  const version = /(?:^|:)version=([012])(?:$|:)/.exec(header ?? '')?.[1]
  return version === undefined ? {} : { GIT_PROTOCOL: `version=${version}` }
}
