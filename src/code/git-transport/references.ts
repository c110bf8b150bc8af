import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isClosedPipe } from '#code/git/processes/git.ts'
import type { GitProcess } from '#code/git/processes/git-process.ts'
import { streamOutput } from '#code/git/processes/stream-output.ts'
import type { Repository } from '#code/git/repository.ts'
import type { Service } from './access.ts'

export interface ServeOptions {
  /** The protocol that the client asks for, as its header `Git-Protocol` has it, or the variable `GIT_PROTOCOL`. */
  readonly protocol: string | undefined
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
}

/**
 * Lists of references are no transfers of packs: whoever fetches much can still ask what there is. They have a time of
 * their own, because they go at the pace of the client.
 */
export const LISTING = { lane: 'read', time: 600_000 } as const

/** Git reads push options only where the server says that it takes them. */
const ADVERTISED = ['-c', 'receive.advertisePushOptions=true']

/** The references that a repository shows to a client before anything else, or what it can do in protocol 2. */
export async function showReferences(
  repository: Repository,
  service: Service,
  { protocol, signal }: ServeOptions,
): Promise<Readable> {
  const command = service === 'git-upload-pack' ? 'upload-pack' : 'receive-pack'
  const args = [...ADVERTISED, command, '--stateless-rpc', '--http-backend-info-refs', repository.folder]
  const environment = protocolOf(protocol)
  const process = await repository.git.start(repository, args, { ...LISTING, signal, environment })
  process.stdin.end()
  return (await streamOutput(process)).all
}

/** What a client may send at most to say what it wants: some 60 bytes for each commit that it has. */
export const WANTS = 64 * 1024 * 1024

/** A body that fails, because it is too large, damaged or late, ends the process for that reason. */
export async function pour(body: Readable | AsyncIterable<Buffer>, process: GitProcess): Promise<void> {
  try {
    await pipeline(body, process.stdin)
  } catch (error) {
    // A process that reads no more of it says why by its exit code.
    if (!isClosedPipe(error)) process.kill(error)
  }
}

/** What a client may say of the protocol, as git reads it. */
export function protocolOf(asked: string | undefined): Record<string, string> {
  const version = /(?:^|:)version=([012])(?:$|:)/.exec(asked ?? '')?.[1]
  return version === undefined ? {} : { GIT_PROTOCOL: `version=${version}` }
}
